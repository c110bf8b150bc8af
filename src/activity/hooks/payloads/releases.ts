import { readCommit } from '#code/git/objects.ts'
import { type BuildContext, payloadKind, type HookPayload, type StoredFact } from './kind.ts'
import { type HookProject, projectOfNamespace, utc } from './shapes.ts'

const actions = {
  'release created': 'create',
  'release changed': 'update',
  'release deleted': 'delete',
} as const

/** Releases: created, changed and deleted. */
export const releasePayloads = payloadKind({
  facts: ['release created', 'release changed', 'release deleted'],
  interestedHooks: () => ({ triggers: ['releases_events'], system: 'none' }),
  build: async ([fact], context) => (fact === undefined ? [] : releasePayload(fact, context)),
})

async function releasePayload(
  fact: StoredFact<keyof typeof actions>,
  context: BuildContext,
): Promise<readonly HookPayload[]> {
  const project = await projectOfNamespace(context, fact.namespace)
  const release = fact.name === 'release deleted' ? fact.details : await findRelease(context, fact.target?.id)
  if (project === undefined || release === undefined || fact.target === null) return []
  const { tag } = release
  const url = `${project.url}/-/releases/${encodeURIComponent(tag)}`
  const sources = archivesOf(project, tag)
  return [
    {
      to: 'project and group hooks',
      triggers: ['releases_events'],
      name: 'Release Hook',
      data: {
        object_kind: 'release',
        id: fact.target.id,
        created_at: utc(release.created_at),
        description: release.description ?? '',
        name: release.name,
        released_at: utc(release.released_at),
        tag,
        project: project.project,
        url,
        action: actions[fact.name],
        assets: { count: release.links.length + sources.length, links: release.links, sources },
        commit: await commitOf(context, project, release.sha),
      },
    },
  ]
}

async function findRelease({ db }: BuildContext, id = 0) {
  const release = await db
    .selectFrom('releases')
    .select(['tag', 'name', 'description', 'sha', 'created_at', 'released_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (release === undefined) return undefined
  const links = await db
    .selectFrom('release_links')
    .select(['id', 'link_type', 'name', 'url'])
    .where('release_id', '=', id)
    .orderBy('id')
    .limit(100)
    .execute()
  return { ...release, links }
}

function archivesOf({ url, fullPath }: HookProject, tag: string) {
  const file = `${fullPath.slice(fullPath.lastIndexOf('/') + 1)}-${tag.replaceAll('/', '-')}`
  return ['zip', 'tar.gz', 'tar.bz2', 'tar'].map((format) => ({
    format,
    url: `${url}/-/archive/${encodeURIComponent(tag)}/${encodeURIComponent(file)}.${format}`,
  }))
}

async function commitOf({ repositories }: BuildContext, { id, url }: HookProject, sha: string) {
  const repository = await repositories.ofProject(id)
  const commit = repository && (await readCommit(repository, sha))
  if (commit === undefined) return null
  return {
    id: sha,
    message: commit.message,
    title: commit.title,
    timestamp: commit.committer.at,
    url: `${url}/-/commit/${sha}`,
    author: { name: commit.author.name, email: commit.author.email },
  }
}
