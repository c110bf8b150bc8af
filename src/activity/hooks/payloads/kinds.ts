import { keyPayloads, userPayloads } from './accounts.ts'
import { deploymentPayloads } from './deployments.ts'
import { emojiPayloads } from './emoji.ts'
import { issuePayloads } from './issues.ts'
import type { PayloadKind } from './kind.ts'
import { jobPayloads } from './jobs.ts'
import { memberPayloads } from './members.ts'
import { mergeRequestPayloads } from './merge-requests.ts'
import { milestonePayloads } from './milestones.ts'
import { notePayloads } from './notes.ts'
import { pipelinePayloads } from './pipelines.ts'
import { groupPayloads, projectPayloads } from './projects-and-groups.ts'
import { pushPayloads } from './pushes.ts'
import { releasePayloads } from './releases.ts'
import { tokenPayloads } from './tokens.ts'
import { wikiPagePayloads } from './wiki-pages.ts'

/** All kinds of payloads. A new kind is a file here, and a line. */
export const payloadKinds: readonly PayloadKind[] = [
  issuePayloads,
  mergeRequestPayloads,
  notePayloads,
  pushPayloads,
  wikiPagePayloads,
  emojiPayloads,
  milestonePayloads,
  deploymentPayloads,
  releasePayloads,
  pipelinePayloads,
  jobPayloads,
  memberPayloads,
  projectPayloads,
  groupPayloads,
  userPayloads,
  keyPayloads,
  tokenPayloads,
]

/** The kind that makes payloads of the facts with a name. */
export const payloadKindOf: ReadonlyMap<string, PayloadKind> = new Map(
  payloadKinds.flatMap((kind) => kind.facts.map((name) => [name, kind] as const)),
)
