import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { presentCommit } from '#code/commits/entity.ts'
import { readCommits } from '#code/git/objects.ts'
import { presentUserBasic } from '#identity/users/basic.ts'
import { asWritten, renderMarkdown } from '#planning/markup/render-markdown.ts'
import { uploadsOfPlace } from '#planning/uploads/addresses.ts'
import { presentMilestone } from '#planning/milestones/entity.ts'
import { iso } from '#platform/http/time.ts'
import { onlyOne } from '#platform/sequences.ts'
import { addressesOf, archivesOf, encodeTag, linkAddress } from './addresses.ts'
import type { LinkRow, Release, ReleaseLink, ReleaseRow } from './entity.ts'

/** What a caller may see of a release. */
export interface ReleaseAudience {
  readonly code: boolean
  readonly milestones: boolean
  readonly changes: boolean
}

export const audienceOf = (req: FastifyRequest): ReleaseAudience => {
  const { can } = req.project()
  return {
    code: can('read_release_code'),
    milestones: can('read_milestone'),
    changes: can('admin_release'),
  }
}

/** Characters of descriptions on one page that are rendered. Further ones would keep other callers waiting. */
const MAX_RENDERED = 200_000

/** What may still be rendered for one answer. */
export const renderingBudget = () => ({ left: MAX_RENDERED })

interface Presenting<Row> {
  readonly audience: (row: Row) => ReleaseAudience
  /** With what may be rendered; undefined shows no HTML. */
  readonly html?: { left: number } | undefined
}

/** Presents releases, also of several projects: the commits of each are read at once. */
export async function presentReleases<Row extends ReleaseRow>(
  req: FastifyRequest,
  rows: readonly Row[],
  { audience, html }: Presenting<Row>,
): Promise<Static<typeof Release>[]> {
  const commits = await commitsOf(
    req,
    rows.filter((row) => audience(row).code),
  )
  const now = Date.now()
  const presented: Static<typeof Release>[] = []
  for (const row of rows) {
    const { code, milestones, changes } = audience(row)
    const project = `${req.site}/${row.full_path}`
    const sources = code ? archivesOf(project, row.path, row.tag) : []
    if (html !== undefined) html.left -= row.description?.length ?? 0
    const uploads = uploadsOfPlace('project', row.full_path)
    const render = (text: string) =>
      html !== undefined && html.left < 0 ? asWritten(text) : renderMarkdown(text, { uploads })
    presented.push({
      name: row.name,
      ...(code && { tag_name: row.tag }),
      description: row.description,
      ...(html !== undefined && { description_html: await render(row.description ?? '') }),
      created_at: iso(row.created_at),
      released_at: iso(row.released_at),
      upcoming_release: Date.parse(iso(row.released_at)) > now,
      author: row.author === null ? null : presentUserBasic(row.author, req.site),
      ...(code && { commit: commits.get(row.id) ?? null }),
      ...(milestones && {
        milestones: row.milestones.map((one) => presentMilestone(one, req.site, req.viewer.today)),
      }),
      ...(code && {
        commit_path: `/${row.full_path}/-/commit/${row.sha}`,
        tag_path: `/${row.full_path}/-/tags/${encodeTag(row.tag)}`,
      }),
      assets: {
        count: row.links.length + sources.length,
        ...(code && { sources }),
        links: row.links.map((link) => presentLink(link, project, row.tag)),
      },
      ...(code && {
        evidences: row.evidences.map(({ id, sha, collected_at }) => ({
          sha,
          filepath: `${project}/-/releases/${encodeTag(row.tag)}/evidences/${id}.json`,
          collected_at: iso(collected_at),
        })),
      }),
      _links: addressesOf(project, row.tag, changes),
    })
  }
  return presented
}

/** The same for one of the project that a route names. */
export async function presentOneRelease(req: FastifyRequest, row: ReleaseRow, withHtml?: boolean) {
  const audience = audienceOf(req)
  return onlyOne(
    await presentReleases(req, [row], {
      audience: () => audience,
      ...(withHtml === true && { html: renderingBudget() }),
    }),
  )
}

/** @param project the address of the project's pages */
export function presentLink(row: LinkRow, project: string, tag: string): Static<typeof ReleaseLink> {
  const { id, name, url, link_type } = row
  return { id, name, url, direct_asset_url: linkAddress(project, tag, row), link_type }
}

async function commitsOf(req: FastifyRequest, rows: readonly ReleaseRow[]) {
  const byProject = new Map<number, ReleaseRow[]>()
  for (const row of rows) byProject.set(row.project_id, [...(byProject.get(row.project_id) ?? []), row])
  const found = new Map<number, ReturnType<typeof presentCommit>>()
  for (const [projectId, all] of byProject) {
    const repository = await req.server.services.repositories.ofProject(projectId)
    if (repository === undefined) continue
    const ids = [...new Set(all.map(({ sha }) => sha))]
    const read = new Map((await readCommits(repository, ids)).map((commit) => [commit.id, commit]))
    for (const { id, sha, full_path } of all) {
      const commit = read.get(sha)
      if (commit) found.set(id, presentCommit(commit, { projectUrl: `${req.site}/${full_path}` }))
    }
  }
  return found
}
