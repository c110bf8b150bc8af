import type { Feature } from '#platform/feature.ts'
import { abilities } from './abilities/index.ts'
import { accessTokens } from './access-tokens/index.ts'
import { avatars } from './avatars/index.ts'
import { badges } from './badges/index.ts'
import { deployKeys } from './deploy-keys/index.ts'
import { deployTokens } from './deploy-tokens/index.ts'
import { groups } from './groups/index.ts'
import { members } from './members/index.ts'
import { projects } from './projects/index.ts'
import { shares } from './shares/index.ts'
import { topics } from './topics/index.ts'

/** Groups, projects and their members. */
export const tenancy: readonly Feature[] = [
  groups,
  members,
  shares,
  projects,
  abilities,
  accessTokens,
  deployTokens,
  deployKeys,
  topics,
  avatars,
  badges,
]
