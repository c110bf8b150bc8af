import type { FastifyRequest } from 'fastify'
import { findBranch } from '#code/branches/find-branch.ts'
import type { Commit } from '#code/git/commit.ts'
import { RepositoryCorrupt } from '#code/git/errors.ts'
import { mergeTrees } from '#code/git/merge-trees.ts'
import { addCommit, sameAuthor } from '#code/git/new-commit.ts'
import { readCommit } from '#code/git/objects.ts'
import { PackWriter } from '#code/git/pack-writer.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import { changeAs } from '#code/repositories/change-as.ts'
import { committerOf } from '#code/repositories/committer.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { Invalid, refusal } from '#platform/refusals.ts'
import { knownTexts } from '#platform/known-texts.ts'

export interface PickRequest {
  /** Whether the change of the commit is taken back. */
  readonly kind: 'cherry_pick' | 'revert'
  readonly commit: Commit
  /** The name of the branch that gets it. */
  readonly branch: string
  /** Instead of the message that the kind has. */
  readonly message?: string
}

/**
 * Applies the change of a commit to a branch, or takes it back there. The change of a merge is that against its first
 * parent.
 * @param isTrial changes nothing
 * @returns the new commit; undefined for a trial.
 * @throws 404 without the branch; 400 with an `error_code` when the change does not fit or is there already; 403 when
 * the branch is protected; 409 when somebody else has changed it meanwhile.
 */
export async function pickCommit(
  req: FastifyRequest,
  repository: StoredRepository,
  picking: PickRequest,
  isTrial: boolean,
): Promise<Commit | undefined> {
  const { branch } = await findBranch(repository, picking.branch)
  const tip = await existing(repository, branch.id)
  const [first] = picking.commit.parents
  const parent = first === undefined ? undefined : await existing(repository, first)
  await using quarantine = await Quarantine.open(repository)
  const tree = await mergedTree(quarantine, picking, { tip, parent })
  if (tree === tip.tree) throw unfit(picking, 'empty')
  if (isTrial) return undefined
  const pack = new PackWriter()
  const signatures = await signaturesOf(req, picking)
  const after = addCommit(pack, { tree, parents: [tip.id], ...signatures, message: messageOf(picking) })
  await quarantine.add(pack)
  await changeAs(req, repository, { ref: branch.name, before: tip.id, after }, { quarantine })
  return existing(repository, after)
}

async function existing(repository: StoredRepository, id: string): Promise<Commit> {
  const commit = await readCommit(repository, id)
  if (commit === undefined) throw new RepositoryCorrupt(new Error(`${repository.folder} has no commit ${id}`))
  return commit
}

interface PickBase {
  readonly tip: Commit
  readonly parent: Commit | undefined
}

async function mergedTree(
  quarantine: Quarantine,
  picking: PickRequest,
  { tip, parent }: PickBase,
): Promise<string> {
  const { tree } = picking.commit
  const ours = tip.tree
  const trees =
    picking.kind === 'cherry_pick'
      ? { base: parent?.tree, ours, theirs: tree }
      : { base: tree, ours, theirs: parent?.tree ?? (await emptyTree(quarantine)) }
  const merged = await mergeTrees(quarantine, trees)
  if (merged === undefined) throw unfit(picking, 'conflict')
  return merged
}

async function emptyTree(quarantine: Quarantine): Promise<string> {
  const pack = new PackWriter()
  const id = pack.add('tree', Buffer.alloc(0))
  await quarantine.add(pack)
  return id
}

const unfits = { cherry_pick: 'cannot-cherry-pick', revert: 'cannot-revert' } as const

/** The sentence is one for both reasons. */
const unfit = ({ kind }: PickRequest, error_code: 'conflict' | 'empty') =>
  new Invalid(knownTexts[unfits[kind]], { code: unfits[kind], fields: { error_code } })

async function signaturesOf(req: FastifyRequest, { kind, commit }: PickRequest) {
  const committer = await committerOf(req)
  return { committer, author: kind === 'revert' ? committer : sameAuthor(commit) }
}

function messageOf({ kind, commit, message }: PickRequest): string {
  if (message !== undefined && message.trim() !== '') return message
  if (kind === 'revert') return `Revert "${commit.title}"\n\nThis reverts commit ${commit.id}`
  if (commit.isCut)
    throw refusal('The message of the commit is too long to be repeated: send one of your own')
  return `${commit.message.trimEnd()}\n\n(cherry picked from commit ${commit.id})`
}
