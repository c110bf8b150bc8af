import { openAsBlob } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Api, RefusedByServer, textOf, Unanswered } from './api.ts'
import type { Artifact, Dependency } from './job.ts'

/** What a server says of a job whenever its runner sends something. */
export interface UpdateResult {
  /** `running`, `canceling`, `canceled` … */
  readonly status: string | undefined
  /** Milliseconds until it wants to hear of the job again. */
  readonly interval: number
}

/** How a job went. */
export interface JobEnd {
  readonly state: 'success' | 'failed'
  readonly failureReason?: string
  readonly exitCode?: number
  /** Of the whole log. */
  readonly bytes: number
}

const SHORTEST_INTERVAL = 1_000
const STANDARD_INTERVAL = 3_000
/** Milliseconds that an archive may be under way. */
const TRANSFER = 60 * 60_000

/** What a runner says of one job, and gets for it. */
export class JobClient {
  readonly #api: Api
  readonly #id: number
  readonly #token: string

  constructor(api: Api, { id, token }: { readonly id: number; readonly token: string }) {
    this.#api = api
    this.#id = id
    this.#token = token
  }

  /** Makes a release of the job's project. @throws {Unanswered} {RefusedByServer} */
  async createRelease(projectId: number, json: object): Promise<void> {
    await this.#api.json({
      method: 'POST',
      path: `/projects/${projectId}/releases`,
      json,
      headers: { 'job-token': this.#token },
    })
  }

  /**
   * Sends a piece of the log.
   * @returns up to where the server has the log now
   */
  async appendLog(
    start: number,
    piece: Buffer<ArrayBuffer>,
  ): Promise<UpdateResult & { readonly size: number }> {
    const answer = await this.#api.send({
      method: 'PATCH',
      path: `/jobs/${this.#id}/trace`,
      body: piece,
      headers: {
        'job-token': this.#token,
        'content-type': 'text/plain',
        'content-range': `${start}-${start + piece.length - 1}`,
      },
      expected: [416],
    })
    await textOf(answer)
    const known = /^0-(\d{1,15})$/.exec(answer.headers.get('range') ?? '')?.[1]
    if (answer.status === 416 && known === undefined)
      throw new RefusedByServer(416, answer.headers, 'the server does not say what it has of the log')
    return {
      ...updateResultOf(answer.headers),
      size: known === undefined ? start + piece.length : Number(known),
    }
  }

  /** Says that the job runs. */
  async keepAlive(): Promise<UpdateResult> {
    return (await this.#update({ state: 'running' })).result
  }

  /** Says how the job went. @throws {Unanswered} also while the server still waits for something */
  async end({ state, failureReason, exitCode, bytes }: JobEnd): Promise<void> {
    const { status } = await this.#update({
      state,
      ...(failureReason !== undefined && { failure_reason: failureReason }),
      ...(exitCode !== undefined && { exit_code: exitCode }),
      output: { bytesize: bytes },
    })
    if (status === 202) throw new Unanswered('the server is not done with the job yet')
  }

  async #update(body: object): Promise<{ readonly status: number; readonly result: UpdateResult }> {
    const answer = await this.#api.send({
      method: 'PUT',
      path: `/jobs/${this.#id}`,
      json: { token: this.#token, ...body },
      headers: { 'job-token': this.#token },
    })
    await textOf(answer)
    return { status: answer.status, result: updateResultOf(answer.headers) }
  }

  /** Sends a file that the job made. */
  async upload(file: string, about: Artifact, signal: AbortSignal): Promise<void> {
    const form = new FormData()
    form.append('file', await openAsBlob(file), basename(file))
    const query = new URLSearchParams({
      artifact_type: about.artifact_type ?? 'archive',
      artifact_format: about.artifact_format ?? 'zip',
      ...(about.expire_in && { expire_in: about.expire_in }),
    })
    const answer = await this.#api.send({
      method: 'POST',
      path: `/jobs/${this.#id}/artifacts?${query.toString()}`,
      body: form,
      headers: { 'job-token': this.#token },
      timeout: TRANSFER,
      signal,
    })
    await textOf(answer)
  }

  /** Writes the archive of another job into a file. @returns false where there is none */
  async download({ id, token }: Dependency, target: string, signal: AbortSignal): Promise<boolean> {
    const answer = await this.#api.send({
      method: 'GET',
      path: `/jobs/${id}/artifacts`,
      headers: { 'job-token': token },
      timeout: TRANSFER,
      signal,
      expected: [404],
    })
    if (answer.status === 404) {
      await textOf(answer)
      return false
    }
    const handle = await open(target, 'w', 0o600)
    try {
      for await (const piece of answer.body ?? []) await handle.writeFile(piece)
    } catch (error) {
      signal.throwIfAborted()
      throw new Unanswered('the archive did not arrive', undefined, error)
    } finally {
      await handle.close()
    }
    return true
  }
}

/** What the headers of an answer say of the job. */
export function updateResultOf(headers: Headers): UpdateResult {
  const seconds = Number(headers.get('x-gitlab-trace-update-interval') ?? Number.NaN)
  return {
    status: headers.get('job-status') ?? undefined,
    interval: Number.isFinite(seconds)
      ? Math.max(SHORTEST_INTERVAL, Math.min(seconds, 60) * 1000)
      : STANDARD_INTERVAL,
  }
}
