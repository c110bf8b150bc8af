import { type RawBuilder, sql } from 'kysely'
import { log } from '#code/git/history.ts'
import { BRANCHES, TAGS } from '#code/git/names.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import type { CiStatus, DeploymentStatus } from '#platform/db/schema.ts'
import type { Fact } from '#platform/facts/fact.ts'
import { unprocessable } from '#platform/refusals.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import type { HookOwner } from './entity.ts'
import type { BuildContext, HookPayload, StoredFact } from './payloads/kind.ts'
import { payloadKindOf } from './payloads/kinds.ts'
import { findProject } from './payloads/shapes.ts'
import type { Trigger } from './triggers.ts'

/** Where to look for the newest item of which a sample is made: in the project or group of the hook. */
interface Source {
  readonly context: BuildContext
  readonly owner: HookOwner
  readonly actorId: number
}

type FindFact = (source: Source) => Promise<Fact | undefined>

/** Where a sample may come from; `n` is the namespace. */
const isWithin = ({ owner }: Source): RawBuilder<boolean> =>
  owner.kind === 'group' && owner.namespaceId !== null
    ? inSubtree('n', owner.namespaceId)
    : sql<boolean>`n.id = ${owner.namespaceId}`

async function newest<Row>(source: Source, statement: (within: RawBuilder<boolean>) => RawBuilder<Row>) {
  const { rows } = await statement(isWithin(source)).execute(source.context.db)
  return rows[0]
}

interface SampleRow {
  readonly id: number
  readonly namespace_id: number
}

const issue =
  (confidential: boolean): FindFact =>
  async (source) => {
    const row = await newest(
      source,
      (within) => sql<SampleRow & { iid: number; title: string }>`
      select i.id, n.id as namespace_id, i.iid, i.title from issues i join projects p on p.id = i.project_id
        join namespaces n on n.id = p.project_namespace_id
      where ${within} and i.confidential = ${confidential} and n.deleted_at is null order by i.id desc limit 1`,
    )
    if (row === undefined) return undefined
    const { iid, title } = row
    return { ...about(row, 'Issue'), name: 'issue created', details: { iid, title } }
  }

const about = ({ id, namespace_id }: SampleRow, type: string) => ({
  namespace: namespace_id,
  target: { type, id },
})

const note =
  (confidential: boolean): FindFact =>
  async (source) => {
    const row = await newest(
      source,
      (within) => sql<SampleRow & { noteable_id: number; internal: boolean }>`
      select x.id, n.id as namespace_id, x.noteable_id, x.internal from notes x
        join noteables o on o.id = x.noteable_id join namespaces n on n.id = o.namespace_id
        left join issues i on i.id = o.id
      where ${within} and not x.system and n.deleted_at is null
        and o.kind in ('issue', 'merge_request', 'snippet', 'commit')
        and (x.internal or coalesce(i.confidential, false)) = ${confidential}
      order by x.id desc limit 1`,
    )
    if (row === undefined) return undefined
    const details = { noteable_type: '', noteable_id: row.noteable_id, internal: row.internal }
    return { ...about(row, 'Note'), name: 'note created', details }
  }

/** The project with the youngest commit. */
const repository = (source: Source) =>
  newest(
    source,
    (within) => sql<{ project_id: number; namespace_id: number; last_tag: string | null }>`
    select p.id as project_id, n.id as namespace_id, r.last_tag from repositories r join projects p on p.id = r.project_id
      join namespaces n on n.id = p.project_namespace_id
    where ${within} and r.kind = 'project' and r.branch_count > 0 and n.deleted_at is null
    order by r.last_commit_at desc nulls last limit 1`,
  )

/** Commits of a sample. */
const SHOWN = 3

const push: FindFact = async (source) => {
  const row = await repository(source)
  const project = row && (await findProject(source.context, row.project_id))
  const stored = row && (await source.context.repositories.ofProject(row.project_id))
  const ref = project?.defaultBranch ?? null
  const tip = stored && ref !== null ? await resolveCommit(stored, BRANCHES + ref) : undefined
  if (row === undefined || stored === undefined || ref === null || tip === undefined) return undefined
  const commits = await log(stored, { from: [tip] }, { skip: 0, limit: SHOWN + 1 })
  const details = {
    action: 'pushed',
    ref_type: 'branch',
    ref,
    ref_count: null,
    commit_from: commits[SHOWN]?.id ?? null,
    commit_to: tip,
    commit_count: Math.min(commits.length, SHOWN),
    commit_title: commits[0]?.title ?? null,
  } as const
  return { ...about({ ...row, id: row.project_id }, 'Project'), name: 'references pushed', details }
}

const tagPush: FindFact = async (source) => {
  const row = await repository(source)
  const stored = row && (await source.context.repositories.ofProject(row.project_id))
  const ref = row?.last_tag ?? null
  const commit_to = stored && ref !== null ? await resolveCommit(stored, TAGS + ref) : undefined
  if (row === undefined || ref === null || commit_to === undefined) return undefined
  const rest = { ref_count: null, commit_from: null, commit_count: 0, commit_title: null }
  const details = { action: 'created', ref_type: 'tag', ref, commit_to, ...rest } as const
  return { ...about({ ...row, id: row.project_id }, 'Project'), name: 'references pushed', details }
}

const mergeRequest: FindFact = async (source) => {
  const row = await newest(
    source,
    (within) => sql<SampleRow & { iid: number; title: string }>`
    select m.id, n.id as namespace_id, m.iid, m.title from merge_requests m join projects p on p.id = m.project_id
      join namespaces n on n.id = p.project_namespace_id
    where ${within} and n.deleted_at is null order by m.id desc limit 1`,
  )
  if (row === undefined) return undefined
  const { iid, title } = row
  return { ...about(row, 'MergeRequest'), name: 'merge request created', details: { iid, title } }
}

const wikiPage: FindFact = async (source) => {
  const row = await newest(
    source,
    (within) => sql<SampleRow & { slug: string }>`
    select w.id, n.id as namespace_id, w.slug from wiki_pages w join namespaces n on n.id = w.namespace_id
    where ${within} and w.deleted_at is null and w.slug is not null and n.deleted_at is null order by w.id desc limit 1`,
  )
  if (row === undefined) return undefined
  const details = { action: 'created', slug: row.slug, title: row.slug } as const
  return { ...about(row, 'WikiPage'), name: 'wiki page created', details }
}

const milestone: FindFact = async (source) => {
  const row = await newest(
    source,
    (within) => sql<SampleRow & { title: string }>`
    select m.id, n.id as namespace_id, m.title from milestones m join namespaces n on n.id = m.namespace_id
    where ${within} and n.deleted_at is null order by m.id desc limit 1`,
  )
  if (row === undefined) return undefined
  return { ...about(row, 'Milestone'), name: 'milestone created', details: { title: row.title } }
}

const deployment: FindFact = async (source) => {
  const row = await newest(
    source,
    (within) => sql<SampleRow & { iid: number; environment_id: number; status: DeploymentStatus }>`
    select d.id, n.id as namespace_id, d.iid, d.environment_id, d.status from deployments d
      join projects p on p.id = d.project_id join namespaces n on n.id = p.project_namespace_id
    where ${within} and n.deleted_at is null order by d.id desc limit 1`,
  )
  if (row === undefined) return undefined
  const { iid, environment_id, status } = row
  return { ...about(row, 'Deployment'), name: 'deployment created', details: { iid, environment_id, status } }
}

const release: FindFact = async (source) => {
  const row = await newest(
    source,
    (within) => sql<SampleRow & { tag: string }>`
    select r.id, n.id as namespace_id, r.tag from releases r
      join projects p on p.id = r.project_id join namespaces n on n.id = p.project_namespace_id
    where ${within} and n.deleted_at is null order by r.id desc limit 1`,
  )
  if (row === undefined) return undefined
  return { ...about(row, 'Release'), name: 'release created', details: { tag: row.tag } }
}

interface PipelineSample extends SampleRow {
  readonly iid: number
  readonly ref: string
  readonly sha: string
  readonly source: string
  readonly merge_request_id: number | null
  readonly status: CiStatus
}

const pipeline: FindFact = async (source) => {
  const row = await newest(
    source,
    (within) => sql<PipelineSample>`
    select x.id, n.id as namespace_id, x.iid, x.ref, x.sha, x.source, x.merge_request_id, x.status from pipelines x
      join projects p on p.id = x.project_id join namespaces n on n.id = p.project_namespace_id
    where ${within} and n.deleted_at is null order by x.id desc limit 1`,
  )
  if (row === undefined) return undefined
  const { iid, ref, sha, source: from, merge_request_id, status } = row
  const details = { iid, ref, sha, source: from, merge_request_id, status }
  return { ...about(row, 'Pipeline'), name: 'pipeline created', details }
}

const job: FindFact = async (source) => {
  const row = await newest(
    source,
    (within) => sql<SampleRow & { pipeline_id: number; name: string; stage: string; status: CiStatus }>`
    select j.id, n.id as namespace_id, j.pipeline_id, j.name, j.stage, j.status from ci_jobs j
      join projects p on p.id = j.project_id join namespaces n on n.id = p.project_namespace_id
    where ${within} and n.deleted_at is null order by j.id desc limit 1`,
  )
  if (row === undefined) return undefined
  const { pipeline_id, name, stage, status } = row
  const details = { pipeline_id, job: name, stage, from: null, to: status, failure_reason: null }
  return { ...about(row, 'Job'), name: 'job status changed', details }
}

const emoji: FindFact = async (source) => {
  const row = await newest(
    source,
    (within) => sql<SampleRow & { award_id: number; name: string; type: string }>`
    select coalesce(a.note_id, a.noteable_id) as id, a.id as award_id, a.name, n.id as namespace_id,
      case when a.note_id is not null then 'Note' when o.kind = 'issue' then 'Issue'
        when o.kind = 'merge_request' then 'MergeRequest' else 'Snippet' end as type
    from award_emoji a left join notes x on x.id = a.note_id
      join noteables o on o.id = coalesce(a.noteable_id, x.noteable_id)
      join namespaces n on n.id = o.namespace_id left join issues i on i.id = o.id
    where ${within} and n.deleted_at is null and not coalesce(x.internal, false) and not coalesce(i.confidential, false)
      and o.kind in ('issue', 'merge_request', 'snippet', 'commit')
    order by a.id desc limit 1`,
  )
  if (row === undefined) return undefined
  const details = { emoji: row.name, award_id: row.award_id }
  return { ...about(row, row.type), name: 'award emoji given', details }
}

const token: FindFact = async (source) => {
  const row = await newest(
    source,
    (within) => sql<SampleRow & { name: string; expires_at: string | null }>`
    select t.id, n.id as namespace_id, t.name, t.expires_at from access_tokens t
      join namespaces n on n.id = t.namespace_id
    where ${within} and n.deleted_at is null order by t.id desc limit 1`,
  )
  if (row === undefined) return undefined
  const details = { name: row.name, expires_at: row.expires_at ?? '', days: 7 } as const
  return { ...about(row, 'AccessToken'), name: 'token expires soon', details }
}

const samples: Readonly<Partial<Record<Trigger, readonly [what: string, find: FindFact]>>> = {
  push_events: ['a commit', push],
  tag_push_events: ['a tag', tagPush],
  issues_events: ['an issue', issue(false)],
  confidential_issues_events: ['a confidential issue', issue(true)],
  note_events: ['a comment', note(false)],
  confidential_note_events: ['an internal comment', note(true)],
  merge_requests_events: ['a merge request', mergeRequest],
  wiki_page_events: ['a wiki page', wikiPage],
  milestone_events: ['a milestone', milestone],
  deployment_events: ['a deployment', deployment],
  releases_events: ['a release', release],
  pipeline_events: ['a CI pipeline', pipeline],
  job_events: ['a CI job', job],
  emoji_events: ['a reaction', emoji],
  resource_access_token_events: ['an access token', token],
}

/** Makes the payload of a trigger from the newest item that has one. @throws 422 where there is none */
export async function sampleOf(trigger: Trigger, source: Source): Promise<HookPayload> {
  const [what, find] = samples[trigger] ?? []
  const noun = source.owner.kind
  if (what === undefined || find === undefined) {
    throw unprocessable(`There are no samples of ${trigger} yet`)
  }
  const fact = await find(source)
  const at = source.context.now.toISOString()
  const stored: StoredFact | undefined = fact && { ...fact, id: 0, at, actorId: source.actorId, seen: null }
  const payloads = stored && (await payloadKindOf.get(stored.name)?.build([stored], source.context))
  const payload = payloads?.find(
    (one) => one.to === 'project and group hooks' && one.triggers.includes(trigger),
  )
  if (payload === undefined) throw unprocessable(`Ensure the ${noun} has ${what}.`)
  return payload
}
