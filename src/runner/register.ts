import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { Api, retry, type Unanswered } from './api.ts'
import { newSystemId, prepareFolder, readConfig, writeConfig } from './config.ts'

const Registered = Type.Object({ token: Type.String() })

export interface Registration {
  readonly url: string
  /**
   * The token of a runner that was made before; an access token, with which one is made for the whole instance; or a
   * registration token.
   */
  readonly token: string
  readonly description: string
  readonly tags: readonly string[]
  readonly version: string
  /** Hears, once, why the server does not answer. It is asked again for a while. */
  readonly onSilence: (why: string) => void
}

/** Milliseconds for which a server that does not answer is asked again. */
const PATIENCE = 30_000

/**
 * Makes this folder that of a runner, which the server knows.
 * @returns whether it was that of another one
 * @throws where the server refuses
 */
export async function register(folder: string, registration: Registration): Promise<boolean> {
  const { url, version } = registration
  const api = new Api(url, version)
  const known = await readConfig(folder)
  // First, so that no runner is made that has no place.
  await prepareFolder(folder)
  const system_id = known?.system_id ?? newSystemId()
  let isSilent = false
  const retries = {
    until: performance.now() + PATIENCE,
    onFailure: ({ message }: Unanswered) => {
      if (!isSilent) registration.onSilence(message)
      isSilent = true
    },
  }
  const token = await retry(() => tokenFor(api, registration), retries)
  await retry(
    () => api.json({ method: 'POST', path: '/runners/verify', json: { token, system_id } }),
    retries,
  )
  await writeConfig(folder, { url, token, system_id })
  return known !== undefined && known.token !== token
}

async function tokenFor(api: Api, { token, description, tags, version }: Registration): Promise<string> {
  if (/(?:^|-)glrtr?-/.test(token)) return token
  const about = { description, tag_list: tags, run_untagged: tags.length === 0 }
  const isAccessToken = /(?:^|-)gl(?:pat|oat)-/.test(token)
  const answer = await api.json(
    isAccessToken
      ? {
          method: 'POST',
          path: '/user/runners',
          json: { runner_type: 'instance_type', ...about },
          headers: { 'private-token': token },
        }
      : {
          method: 'POST',
          path: '/runners',
          json: { token, ...about, info: { name: 'forgelet-runner', version, platform: process.platform } },
        },
  )
  if (!Check(Registered, answer)) throw new Error('The server gave no token for the runner')
  return answer.token
}
