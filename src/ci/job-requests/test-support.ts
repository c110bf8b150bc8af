import { expect } from 'vitest'
import { digestOf } from '#platform/access/digest.ts'
import { Client, type Sending } from '#test/client.ts'
import { until } from '#test/until.ts'
import { unique, w, type World } from '#test/world.ts'

interface RunnerOptions {
  /** The project that it is for; without one, and without a group, it is for the instance. */
  readonly project?: number
  readonly group?: number
  readonly tags?: readonly string[]
  readonly untagged?: boolean
  readonly protected?: boolean
  readonly maximumTimeout?: number
  readonly features?: readonly string[]
  readonly world?: World
  /** Of the server that it speaks to. */
  readonly url?: string
}

/** What the official runner announces, as far as jobs need it. */
export const ALL_FEATURES = [
  'artifacts_exclude',
  'multi_build_steps',
  'native_steps_integration',
  'refspecs',
  'return_exit_code',
  'upload_multiple_artifacts',
  'upload_raw_artifacts',
]

/** A runner that speaks the protocol as its tests tell it to. */
export async function runner({
  project,
  group,
  tags = [],
  untagged = true,
  protected: isProtected = false,
  maximumTimeout,
  features = ALL_FEATURES,
  world = w,
  url = world.url,
}: RunnerOptions = {}) {
  const token = unique('glrt-runner-of-a-test')
  const now = world.clock.now().toISOString()
  const { id } = await world.db
    .insertInto('ci_runners')
    .values({
      runner_type:
        project !== undefined ? 'project_type' : group !== undefined ? 'group_type' : 'instance_type',
      group_namespace_id: group ?? null,
      token_digest: digestOf(token),
      by_registration: false,
      tags: [...tags],
      run_untagged: untagged,
      access_level: isProtected ? 'ref_protected' : 'not_protected',
      maximum_timeout: maximumTimeout ?? null,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (project !== undefined)
    await world.db
      .insertInto('ci_runner_projects')
      .values({ runner_id: id, project_id: project, is_owner: true, created_at: now })
      .execute()
  const client = new Client(url)
  const info = {
    name: 'test',
    version: '1.0',
    revision: 'abc',
    platform: 'linux',
    architecture: 'x64',
    executor: 'shell',
    features: Object.fromEntries(features.map((name) => [name, true])),
  }
  const ask = (more: object = {}) =>
    client.post('/jobs/request', { token, system_id: 's_test', info, ...more })
  return {
    id,
    token,
    ask,
    /** Asks for a job that must be there. A server that had none hears of it a moment after it was made. */
    take: (more: object = {}) =>
      until(async () => {
        const { status, body } = await ask(more)
        expect([status, body?.message]).toEqual([201, undefined])
        return jobOf(url, body)
      }),
  }
}

export type TestRunner = Awaited<ReturnType<typeof runner>>

/** A job as its runner sees it. */
function jobOf(url: string, json: { readonly id: number; readonly token: string }) {
  const { id, token } = json
  const client = new Client(url, { 'job-token': token })
  let sent = 0
  const trace = (text: string, start = sent) => {
    const bytes = Buffer.from(text)
    sent = start + bytes.length
    return patchTrace(url, id, token, `${start}-${sent - 1}`, text)
  }
  return {
    id,
    token,
    // oxlint-disable-next-line typescript/no-explicit-any
    json: json as Readonly<Record<string, any>>,
    variables: variablesIn(json),
    trace,
    update: (state: string, more: object = {}) =>
      new Client(url).put(`/jobs/${id}`, { token, state, ...more }),
    upload: (file: string | Buffer, fields: Readonly<Record<string, string>> = {}, query = '') =>
      client.send('POST', `/jobs/${id}/artifacts${query}`, multipart(file, fields)),
    download: (of: number, sending: Sending = {}) => client.get(`/jobs/${of}/artifacts`, sending),
  }
}

export const patchTrace = (url: string, id: number, token: string, range: string | undefined, text: string) =>
  new Client(url).send('PATCH', `/jobs/${id}/trace`, {
    form: text,
    headers: {
      'job-token': token,
      'content-type': 'text/plain',
      ...(range !== undefined && { 'content-range': range }),
    },
  })

const variablesIn = (json: object): Readonly<Record<string, string>> =>
  'variables' in json && Array.isArray(json.variables)
    ? Object.fromEntries(json.variables.map(({ key, value }) => [key, value]))
    : {}

/** A form whose file comes first, and what it is afterwards, as clients stream it. */
function multipart(file: string | Buffer, fields: Readonly<Record<string, string>>): Sending {
  const form = new FormData()
  form.append('file', new Blob([typeof file === 'string' ? file : new Uint8Array(file)]), 'artifacts.zip')
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return { form }
}
