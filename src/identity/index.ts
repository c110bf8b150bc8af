import type { Feature } from '#platform/feature.ts'
import { applications } from './applications/index.ts'
import { avatars } from './avatars/index.ts'
import { emails } from './emails/index.ts'
import { feedTokens } from './feed-tokens/index.ts'
import { keys } from './keys/index.ts'
import { namespaces } from './namespaces/index.ts'
import { oauth } from './oauth/index.ts'
import { sessions } from './sessions/index.ts'
import { tokens } from './tokens/index.ts'
import { users } from './users/index.ts'

/** Who people are, and how programs act for them. */
export const identity: readonly Feature[] = [
  users,
  tokens,
  feedTokens,
  keys,
  emails,
  sessions,
  applications,
  oauth,
  namespaces,
  avatars,
]
