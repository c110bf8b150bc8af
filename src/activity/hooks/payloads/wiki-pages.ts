import { BRANCHES } from '#code/git/names.ts'
import { readCommit } from '#code/git/objects.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import { findExactly } from '#code/wikis/find-page.ts'
import { readPage } from '#code/wikis/read-page.ts'
import { ownerOf } from '#code/wikis/wiki.ts'
import { append } from '#platform/sequences.ts'
import { type BuildContext, payloadKind, type HookPayload, type StoredFact } from './kind.ts'
import { findUser, projectOfNamespace } from './shapes.ts'

const actions = {
  'wiki page created': 'create',
  'wiki page updated': 'update',
  'wiki page deleted': 'delete',
} as const

type PageFact = StoredFact<keyof typeof actions>

/** Pages of wikis: created, changed and deleted. */
export const wikiPagePayloads = payloadKind({
  facts: ['wiki page created', 'wiki page updated', 'wiki page deleted'],
  // A page that was deleted and came back in one push has one row.
  together: true,
  interestedHooks: () => ({ triggers: ['wiki_page_events'], system: 'none' }),
  build: async (facts, context) => {
    const payloads: HookPayload[] = []
    for (const fact of facts) append(payloads, await pagePayload(fact, context))
    return payloads
  },
})

async function pagePayload(fact: PageFact, context: BuildContext): Promise<readonly HookPayload[]> {
  const { namespace, details, actorId } = fact
  const wiki = await findWiki(context, namespace)
  if (wiki === undefined) return []
  const { slug, title } = details
  const url = `${wiki.base}/-/wikis/${slug.split('/').map(encodeURIComponent).join('/')}`
  const sshSite = context.sshSite()
  const page = await readTip(context, wiki.owner, slug)
  return [
    {
      to: 'project and group hooks',
      triggers: ['wiki_page_events'],
      name: 'Wiki Page Hook',
      data: {
        object_kind: 'wiki_page',
        user: await findUser(context, actorId),
        ...(wiki.project !== undefined && { project: wiki.project.project }),
        wiki: {
          web_url: `${wiki.base}/-/wikis/home`,
          git_ssh_url: `${sshSite === undefined ? wiki.base : sshSite + wiki.path}.wiki.git`,
          git_http_url: `${wiki.base}.wiki.git`,
          path_with_namespace: `${wiki.path}.wiki`,
          default_branch: page.branch,
        },
        object_attributes: {
          slug,
          title,
          format: page.format,
          message: page.message,
          content: page.content,
          url,
          action: actions[fact.name],
          diff_url: page.commit === null ? null : `${url}/diff?version_id=${page.commit}`,
          version_id: page.commit,
        },
      },
    },
  ]
}

async function findWiki(context: BuildContext, namespace: number | null) {
  const project = await projectOfNamespace(context, namespace)
  if (project !== undefined) {
    return { project, path: project.fullPath, base: project.url, owner: ownerOf('project', project.id) }
  }
  if (namespace === null) return undefined
  const group = await context.db
    .selectFrom('namespaces')
    .select(['id', 'full_path'])
    .where('id', '=', namespace)
    .where('kind', '=', 'group')
    .executeTakeFirst()
  if (group === undefined) return undefined
  const base = `${context.site}/groups/${group.full_path}`
  return { project, path: group.full_path, base, owner: ownerOf('group', group.id) }
}

/** A page as it is now; most of the time as the change left it. */
async function readTip({ repositories }: BuildContext, owner: ReturnType<typeof ownerOf>, slug: string) {
  const none = { branch: null, commit: null, message: null, content: null, format: 'markdown' }
  const repository = await repositories.find(owner)
  const branch = repository?.row.default_branch ?? null
  if (repository === undefined || branch === null) return none
  const commit = await resolveCommit(repository, BRANCHES + branch)
  if (commit === undefined) return { ...none, branch }
  const page = await findExactly(repository, commit, slug)
  return {
    branch,
    commit,
    message: (await readCommit(repository, commit))?.message ?? null,
    content: page === undefined ? null : (await readPage(repository, page)).content,
    format: page?.format ?? 'markdown',
  }
}
