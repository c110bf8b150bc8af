import { log } from '#code/git/history.ts'
import { BRANCHES, NO_OBJECT, TAGS } from '#code/git/names.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import { readTags } from '#code/git/objects.ts'
import type { ReferencePush } from '#code/repositories/facts.ts'
import { matches } from '#code/protected-references/match.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { append } from '#platform/sequences.ts'
import { withFiles } from './commits.ts'
import { type BuildContext, payloadKind, type HookPayload } from './kind.ts'
import { findUser, type HookProject, type HookUser, projectOfNamespace } from './shapes.ts'

/** Commits that a payload shows: the newest. */
const MOST_COMMITS = 20

/** A push to one branch or tag. */
type Push = ReferencePush & { readonly ref: string }

const isSingle = (pushed: ReferencePush): pushed is Push => pushed.ref !== null

/** Pushes, and every other change of branches and tags. */
export const pushPayloads = payloadKind({
  facts: ['references pushed'],
  together: true,
  interestedHooks: ({ details: { ref_type } }) => ({
    triggers: [ref_type === 'branch' ? 'push_events' : 'tag_push_events', 'repository_update_events'],
    system: 'triggered',
  }),
  build: async (facts, context) => {
    const [first] = facts
    const project = await projectOfNamespace(context, first?.namespace ?? null)
    if (first === undefined || project === undefined) return []
    const by = await pusher(context, first.actorId)
    const repository = await context.repositories.ofProject(project.id)
    const pushes = facts.map(({ details }) => details)
    const payloads: HookPayload[] = []
    for (const ref_type of ['branch', 'tag'] as const) {
      const those = pushes.filter((push) => push.ref_type === ref_type)
      const count = those.reduce((sum, { ref_count }) => sum + (ref_count ?? 1), 0)
      // Whoever pushes many at once would send a flood.
      if (count > context.settings.push_event_hooks_limit) continue
      for (const push of those.filter(isSingle)) {
        append(payloads, await pushPayload(push, { project, by, repository, context }))
      }
    }
    return [...payloads, repositoryUpdate(pushes, project, by)]
  },
})

interface Pusher {
  readonly user: HookUser | null
}

const pusher = async (context: BuildContext, id: number | null): Promise<Pusher> => ({
  user: await findUser(context, id),
})

interface PushContext {
  readonly project: HookProject
  readonly by: Pusher
  readonly repository: StoredRepository | undefined
  readonly context: BuildContext
}

/** The payloads of a push to a branch or tag. */
export async function pushPayload(push: Push, around: PushContext): Promise<readonly HookPayload[]> {
  const { project, by, repository, context } = around
  const isBranch = push.ref_type === 'branch'
  const name = isBranch ? 'push' : 'tag_push'
  const commits = isBranch ? await commitsOf(push, around) : []
  const { checkout_sha, message } = await checkedOut(push, repository)
  const data = {
    before: push.commit_from ?? NO_OBJECT,
    after: push.commit_to ?? NO_OBJECT,
    ref: (isBranch ? BRANCHES : TAGS) + push.ref,
    ref_protected: await isProtected(context, project.id, push),
    checkout_sha,
    message,
    ...userFields(by),
    project_id: project.id,
    project: project.project,
    commits,
    total_commits_count: push.commit_count,
    push_options: push.push_options ?? {},
    repository: project.repository,
  }
  const trigger = isBranch ? 'push_events' : 'tag_push_events'
  const branch = isBranch ? { branch: push.ref } : {}
  const common = { triggers: [trigger], name: isBranch ? 'Push Hook' : 'Tag Push Hook', ...branch } as const
  return [
    { ...common, to: 'project and group hooks', data: { object_kind: name, event_name: name, ...data } },
    { ...common, to: 'system hooks', data: { object_kind: name, event_name: name, ...data, commits: [] } },
  ]
}

const userFields = ({ user }: Pusher) => ({
  user_id: user?.id ?? null,
  user_name: user?.name ?? null,
  user_username: user?.username ?? null,
  user_email: user?.email ?? null,
  user_avatar: user?.avatar_url ?? null,
})

/** The newest commits that came to a branch, oldest first. */
async function commitsOf(push: Push, { project, repository }: PushContext) {
  const { commit_from, commit_to, commit_count } = push
  if (repository === undefined || commit_to === null || commit_count === 0) return []
  if ((await resolveCommit(repository, commit_to)) === undefined) return []
  const base = commit_from ?? (await otherBase(push, project, repository))
  const known = base === undefined ? undefined : await resolveCommit(repository, base)
  const filter = { from: [commit_to], ...(known !== undefined && { not: [known] }) }
  const limit = Math.min(commit_count, MOST_COMMITS)
  const commits = await log(repository, filter, { skip: 0, limit })
  const shown = []
  for (const commit of commits.toReversed()) shown.push(await withFiles(repository, commit, project.url))
  return shown
}

/** A new branch brings what the default branch does not have; the first one brings everything. */
async function otherBase(
  { ref }: Push,
  { defaultBranch }: HookProject,
  repository: StoredRepository,
): Promise<string | undefined> {
  if (defaultBranch === null || defaultBranch === ref) return undefined
  return resolveCommit(repository, BRANCHES + defaultBranch)
}

/** The commit that a branch or tag leads to, and the message of an annotated tag. */
async function checkedOut({ commit_to, ref_type }: Push, repository: StoredRepository | undefined) {
  if (commit_to === null || repository === undefined) return { checkout_sha: null, message: null }
  const checkout_sha = (await resolveCommit(repository, commit_to)) ?? commit_to
  if (ref_type === 'branch' || checkout_sha === commit_to) return { checkout_sha, message: null }
  const [tag] = await readTags(repository, [commit_to])
  return { checkout_sha, message: tag?.message ?? null }
}

async function isProtected(
  { db }: BuildContext,
  projectId: number,
  { ref, ref_type }: Push,
): Promise<boolean> {
  const rows = await db
    .selectFrom('protected_references')
    .select('name')
    .where('project_id', '=', projectId)
    .where('kind', '=', ref_type)
    .execute()
  return rows.some(({ name }) => matches(name, ref))
}

/** All that a push did, once, for hooks of the instance. */
function repositoryUpdate(pushes: readonly ReferencePush[], project: HookProject, by: Pusher): HookPayload {
  const single = pushes.filter(isSingle)
  const changes = single.map(({ commit_from, commit_to, ref, ref_type }) => ({
    before: commit_from ?? NO_OBJECT,
    after: commit_to ?? NO_OBJECT,
    ref: (ref_type === 'branch' ? BRANCHES : TAGS) + ref,
  }))
  const { user_username: _, ...user } = userFields(by)
  return {
    to: 'system hooks',
    triggers: ['repository_update_events'],
    name: 'System Hook',
    data: {
      event_name: 'repository_update',
      ...user,
      project_id: project.id,
      project: project.project,
      changes,
      refs: changes.map(({ ref }) => ref),
    },
  }
}
