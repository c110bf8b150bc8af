import type { FastifyRequest } from 'fastify'
import { addObjects } from '#code/commits/writing/add-objects.ts'
import { BRANCHES, isShortName, NO_OBJECT } from '#code/git/names.ts'
import { isMisleading } from '#platform/misleading.ts'
import { addCommit } from '#code/git/new-commit.ts'
import { readCommit } from '#code/git/objects.ts'
import { PackWriter } from '#code/git/pack-writer.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import { TreeEditor } from '#code/git/tree-editor.ts'
import { writtenByCaller } from '#code/repositories/change-as.ts'
import { changeReferences } from '#code/repositories/change-references.ts'
import { hasHappened } from '#code/repositories/outcome.ts'
import { committerOf } from '#code/repositories/committer.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { headOf } from '#code/repositories/summary.ts'
import { invalid, unavailable } from '#platform/refusals.ts'
import { PAGE_MOVED } from './record-pages.ts'
import type { Wiki } from './wiki.ts'

/** The files of the next commit of a wiki. */
export interface WikiFiles {
  readonly repository: StoredRepository
  /** The commit on which the next one is going to be; undefined for the first one. */
  readonly tip: string | undefined
  readonly editor: TreeEditor
  readonly pack: PackWriter
}

/** What an edit has made of the files. */
export interface WikiEdit<Result> {
  /** What it did, after the name of whoever did it: `created page: Home`. */
  readonly message: string
  readonly result: Result
  /** Whether it moves a page, whatever else it changes of it. */
  readonly moves?: boolean
}

export interface CommitOptions<Result> {
  /** By default the default branch. */
  readonly branch?: string | undefined
  /** Changes the files. It runs again when somebody else has changed the wiki meanwhile. */
  readonly edit: (files: WikiFiles) => Promise<WikiEdit<Result>>
}

/** How often an edit is tried. All pages are on one branch, so people get into each other's way often. */
const TRIES = 20

/**
 * Commits an edit to a wiki, which is made unless it is there.
 * @throws 400 for a branch that cannot be, 403 when a rule refuses it, 503 while the wiki is read-only, and when others were faster each time.
 */
export async function commitToWiki<Result>(
  req: FastifyRequest,
  wiki: Wiki,
  { branch, edit }: CommitOptions<Result>,
): Promise<{ readonly result: Result; readonly branch: string }> {
  const { repositories } = req.server.services
  const committer = await committerOf(req)
  for (let tries = 0; tries < TRIES; tries += 1) {
    const start = await startOn(repositories, wiki, branch)
    const { repository, name, before, tip } = start
    const pack = new PackWriter()
    const editor = new TreeEditor(repository, start.tree)
    const { message, result, moves = false } = await edit({ repository, tip, editor, pack })
    const tree = editor.write(pack)
    // Nothing has changed, so there is nothing to commit.
    if (before !== undefined && tree === start.tree) return { result, branch: name }
    const parents = tip === undefined ? [] : [tip]
    const whole = `${req.user().username} ${message}`
    const after = addCommit(pack, { tree, parents, author: committer, committer, message: whole })
    await using quarantine = await Quarantine.open(repository)
    await addObjects(quarantine, pack)
    const [outcome] = await changeReferences(repositories, repository, {
      changes: [{ ref: BRANCHES + name, before: before ?? NO_OBJECT, after }],
      by: writtenByCaller(req),
      changer: { accessContext: wiki.authorized.accessContext, userId: req.user().id },
      cause: moves ? PAGE_MOVED : 'api',
      quarantine,
    })
    if (hasHappened(outcome)) return { result, branch: name }
    await assertMayBe(repository, start)
  }
  throw unavailable('others change this wiki all the time')
}

/** A new branch that is not there after a conflict never will be: git keeps branches as files in folders. */
async function assertMayBe(repository: StoredRepository, { name, before }: Start): Promise<void> {
  if (before !== undefined || (await resolveCommit(repository, name, 'heads')) !== undefined) return
  throw invalid({
    branch: ['cannot be where another branch begins or ends: `a` and `a/b` exclude each other'],
  })
}

/** Where the next commit begins. */
interface Start {
  readonly repository: StoredRepository
  /** The branch that gets it. */
  readonly name: string
  /** What that branch points at now; undefined for a new one. */
  readonly before: string | undefined
  /** The commit on which the next one is going to be, and its tree. A new branch begins where the default branch is. */
  readonly tip: string | undefined
  readonly tree: string | undefined
}

async function startOn(
  repositories: Repositories,
  { owner }: Wiki,
  branch: string | undefined,
): Promise<Start> {
  const repository = await repositories.ensure(owner)
  const standard = repository.row.default_branch ?? (await headOf(repository)) ?? repositories.defaultBranch
  const name = branch ?? standard
  if (!isShortName(name) || (branch !== undefined && isMisleading(name)))
    throw invalid({ branch: ['is not a name that git allows'] })
  const before = await resolveCommit(repository, name, 'heads')
  const tip = before ?? (await resolveCommit(repository, standard, 'heads'))
  const parent = tip === undefined ? undefined : await readCommit(repository, tip)
  return { repository, name, before, tip, tree: parent?.tree }
}
