import { sealedColumns } from '#platform/key-ring/key-ring.ts'
import type { Feature } from '#platform/feature.ts'
import { auditedFeedToken, feedTokenFacts } from './facts.ts'
import { sealedFeedTokens } from './feed-token.ts'
import { feedTokenPages } from './page-routes.ts'

/** Tokens with which people read feeds. */
export const feedTokens: Feature = {
  pages: [feedTokenPages],
  facts: feedTokenFacts,
  audited: auditedFeedToken,
  extensions: [sealedColumns.with(sealedFeedTokens)],
}
