import type { Randomness } from '#platform/context.ts'
import { digestOf } from '#platform/access/digest.ts'
import type { CiRunnerType } from '#platform/db/schema.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { RUNNER_TOKEN_PREFIX } from './find-runner.ts'

/** What the tokens of runners begin with that have registered themselves. Programs tell by it that no manager made them. */
const REGISTERED_PREFIX = 'glrtr-'

/** A token that its runner is told once. */
export interface NewRunnerToken {
  readonly secret: string
  readonly digest: Buffer
}

export function newRunnerToken(
  random: Randomness,
  { isRegistered }: { readonly isRegistered: boolean },
): NewRunnerToken {
  const prefix = isRegistered ? REGISTERED_PREFIX : RUNNER_TOKEN_PREFIX
  const secret = prefix + random.bytes(20).toString('hex')
  return { secret, digest: digestOf(secret) }
}

/** When a token that is made now ends; null for never. */
export function tokenEnd(type: CiRunnerType, settings: Settings, now: string): string | null {
  const seconds = {
    instance_type: settings.runner_token_expiration_interval,
    group_type: settings.group_runner_token_expiration_interval,
    project_type: settings.project_runner_token_expiration_interval,
  }[type]
  return seconds === null ? null : new Date(Date.parse(now) + seconds * 1000).toISOString()
}
