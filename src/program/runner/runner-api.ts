import { openAsBlob } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { packageVersion } from '#platform/package.ts'
import { readJob, type ReceivedJob } from './job.ts'

/** Milliseconds that one request may take, but for files. */
const PATIENCE = 60_000
/** Milliseconds that a transfer of a file may take. */
const LONG_PATIENCE = 3_600_000
/** Milliseconds between two attempts, at first and at most. */
const FIRST_PAUSE = 500
const LONGEST_PAUSE = 15_000

/** What is sent of the runner with each request for a job. */
const INFO = {
  name: 'forgelet-runner',
  version: packageVersion(),
  platform: process.platform,
  architecture: process.arch,
  executor: 'shell',
  shell: 'bash',
  features: {
    variables: true,
    artifacts: true,
    upload_multiple_artifacts: true,
    cache: true,
    fallback_cache_keys: true,
    refspecs: true,
    masking: false,
    raw_variables: true,
    artifacts_exclude: true,
    multi_build_steps: false,
    return_exit_code: true,
    cancelable: false,
    trace_reset: false,
  },
}

/** The server has refused something, and would again. */
export class RefusedByServer extends Error {
  override readonly name = 'RefusedByServer'
  readonly status: number

  constructor(status: number, text: string) {
    super(`the server answered ${status}${text === '' ? '' : `: ${text}`}`)
    this.status = status
  }
}

/** What the answer to a piece of a log says. */
export interface TraceAnswer {
  /** The bytes that the server has. */
  readonly size: number
  readonly isCanceled: boolean
  /** Milliseconds until the next piece. */
  readonly interval: number
}

/** How a job ended, as it is told to the server. */
export interface ToldEnd {
  readonly state: 'success' | 'failed'
  readonly failure_reason?: string
  readonly exit_code?: number
}

/** The part of the API that runners speak. What gets no answer is repeated for as long as the caller wants. */
export class RunnerApi {
  readonly #url: string
  readonly #token: string
  readonly #systemId: string
  #lastUpdate = ''

  constructor({
    url,
    token,
    system_id,
  }: {
    readonly url: string
    readonly token: string
    readonly system_id: string
  }) {
    this.#url = `${url.replace(/\/$/, '')}/api/v4`
    this.#token = token
    this.#systemId = system_id
  }

  /** @returns the number of the runner @throws RefusedByServer for a token that is no runner's */
  async verify(): Promise<number> {
    const answer = await this.#once('POST', '/runners/verify', {
      body: { token: this.#token, system_id: this.#systemId },
    })
    const found: unknown = await accepted(answer)
    return typeof found === 'object' && found !== null && 'id' in found ? Number(found.id) : 0
  }

  /**
   * Asks for a job. A server without one may answer late.
   * @returns undefined without one
   * @throws RefusedByServer
   */
  async requestJob(signal: AbortSignal): Promise<ReceivedJob | undefined> {
    const answer = await this.#once('POST', '/jobs/request', {
      body: { token: this.#token, system_id: this.#systemId, info: INFO, last_update: this.#lastUpdate },
      signal,
    })
    this.#lastUpdate = answer.headers.get('x-gitlab-last-update') ?? this.#lastUpdate
    if (answer.status === 204) return undefined
    const job = readJob(await accepted(answer))
    if (job === undefined) throw new Error('the server gave a job that this runner cannot read')
    return job
  }

  /** Sends a piece of a log. A server that has another number of bytes says how many. */
  async appendLog(job: ReceivedJob, start: number, bytes: Buffer, signal: AbortSignal): Promise<TraceAnswer> {
    const answer = await this.#repeated(signal, 'PATCH', `/jobs/${job.id}/trace`, {
      headers: {
        'job-token': job.token,
        'content-type': 'text/plain',
        'content-range': `${start}-${start + bytes.length - 1}`,
      },
      bytes,
    })
    await answer.arrayBuffer()
    const isKnown = answer.status === 202 || answer.status === 416
    const isCanceled = isCancel(answer)
    if (!isKnown && !isCanceled) throw new RefusedByServer(answer.status, '')
    const [, size = '0'] = /^0-(\d+)/.exec(answer.headers.get('range') ?? '') ?? []
    const seconds = Number(answer.headers.get('x-gitlab-trace-update-interval') ?? 3)
    return { size: Number(size), isCanceled, interval: Math.max(1, seconds) * 1_000 }
  }

  /** Says that a job still runs. @returns whether somebody has canceled it */
  async tellAlive(job: ReceivedJob, signal: AbortSignal): Promise<boolean> {
    const answer = await this.#repeated(signal, 'PUT', `/jobs/${job.id}`, {
      body: { token: job.token, state: 'running' },
    })
    await answer.arrayBuffer()
    return isCancel(answer)
  }

  /** Says how a job has ended. A server that knows it already has got an earlier attempt. */
  async tellEnd(job: ReceivedJob, end: ToldEnd, signal: AbortSignal): Promise<void> {
    const body = { token: job.token, ...end }
    for (;;) {
      const answer = await this.#repeated(signal, 'PUT', `/jobs/${job.id}`, { body })
      await answer.arrayBuffer()
      if (answer.status !== 202) return
      await pause(1_000, undefined, { signal })
    }
  }

  /** Sends a file of a job. @throws RefusedByServer */
  async upload(
    job: ReceivedJob,
    path: string,
    fields: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { filename = 'artifacts.zip', ...rest } = fields
    const answer = await this.#repeated(signal, 'POST', `/jobs/${job.id}/artifacts`, {
      headers: { 'job-token': job.token },
      form: async () => {
        const form = new FormData()
        for (const [name, value] of Object.entries(rest)) form.set(name, value)
        form.set('file', await openAsBlob(path), filename)
        return form
      },
    })
    await accepted(answer)
  }

  /** The archive of another job; undefined where it is gone. The caller reads it. */
  async download(
    id: number,
    token: string,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array> | undefined> {
    const answer = await this.#repeated(signal, 'GET', `/jobs/${id}/artifacts`, {
      headers: { 'job-token': token },
    })
    if (answer.status === 404) return void (await answer.arrayBuffer())
    if (!answer.ok) await accepted(answer)
    return answer.body ?? undefined
  }

  async #once(method: string, path: string, what: Sent): Promise<Response> {
    const { body, bytes, form, headers = {}, signal } = what
    const patience = AbortSignal.timeout(form === undefined && method !== 'GET' ? PATIENCE : LONG_PATIENCE)
    return fetch(`${this.#url}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body:
        body === undefined
          ? form === undefined
            ? ((bytes && new Uint8Array(bytes)) ?? null)
            : await form()
          : JSON.stringify(body),
      signal: signal === undefined ? patience : AbortSignal.any([signal, patience]),
    })
  }

  /** Repeats a request while it gets no answer, or one that says to come again. */
  async #repeated(signal: AbortSignal, method: string, path: string, what: Sent): Promise<Response> {
    for (let wait = FIRST_PAUSE; ; wait = Math.min(LONGEST_PAUSE, wait * 2)) {
      try {
        const answer = await this.#once(method, path, { ...what, signal })
        if (answer.status !== 429 && answer.status < 500) return answer
        await answer.arrayBuffer()
        wait = Math.max(wait, Number(answer.headers.get('retry-after') ?? 0) * 1_000)
      } catch (error) {
        if (signal.aborted) throw error
      }
      await pause(wait, undefined, { signal })
    }
  }
}

interface Sent {
  readonly body?: object
  readonly bytes?: Buffer
  /** Made anew for each attempt. */
  readonly form?: () => Promise<FormData>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

const isCancel = ({ headers }: Response): boolean => {
  const status = headers.get('job-status')
  return status === 'canceled' || status === 'canceling'
}

/** Reads an answer. @throws RefusedByServer with what it says */
async function accepted(answer: Response): Promise<unknown> {
  const text = await answer.text()
  if (!answer.ok) throw new RefusedByServer(answer.status, messageIn(text))
  return text === '' ? undefined : JSON.parse(text)
}

function messageIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && 'message' in value) return String(value.message)
  } catch {
    // No JSON.
  }
  return text.slice(0, 200)
}
