import { type RawBuilder, sql } from 'kysely'
import { avatarUrl } from '#identity/avatars/avatar-url.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { iso } from '#platform/http/time.ts'
import type { BuildContext } from './kind.ts'

/** What stands instead of an address that its owner does not show. */
export const REDACTED = '[REDACTED]'

/** A moment as payloads about issues, notes and the like have it. */
export function utc(timestamp: string): string {
  return iso(timestamp)
    .replace('T', ' ')
    .replace(/(\.\d+)?Z$/, ' UTC')
}

export const utcOrNull = (timestamp: string | null): string | null =>
  timestamp === null ? null : utc(timestamp)

/** Seconds from one moment to another; null where one is missing. */
export const secondsBetween = (from: string | null, to: string | null): number | null =>
  from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from)) / 1000

/** A moment in whole seconds, as payloads about accounts and places have it. */
export const seconds = (timestamp: string): string => iso(timestamp).replace(/\.\d+Z$/, 'Z')

export const visibilityLevels: Readonly<Record<Visibility, number>> = { private: 0, internal: 10, public: 20 }

/** A user as payloads name them. */
export interface HookUser {
  readonly id: number
  readonly name: string
  readonly username: string
  readonly avatar_url: string | null
  readonly email: string
}

/** The user who did it; null when the system did. */
export async function findUser({ db, site }: BuildContext, id: number | null): Promise<HookUser | null> {
  if (id === null) return null
  const row = await db
    .selectFrom('users')
    .select(['id', 'name', 'username', 'avatar', 'public_email'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return null
  return {
    id: row.id,
    name: row.name,
    username: row.username,
    avatar_url: avatarUrl(site, 'user', row.id, row.avatar),
    email: row.public_email ?? REDACTED,
  }
}

/** A user as a part of others: an assignee, a reviewer. */
export const personOf = (
  site: string,
  row: {
    readonly id: number
    readonly name: string
    readonly username: string
    readonly avatar: string | null
    readonly public_email: string | null
  },
): HookUser => ({
  id: row.id,
  name: row.name,
  username: row.username,
  avatar_url: avatarUrl(site, 'user', row.id, row.avatar),
  email: row.public_email ?? REDACTED,
})

interface ProjectRow {
  readonly id: number
  readonly name: string
  readonly description: string | null
  readonly avatar: string | null
  readonly visibility: Visibility
  readonly full_path: string
  readonly namespace: string
  readonly default_branch: string | null
  readonly ci_config_path: string | null
}

/** The project of a payload, and the same in its older form. */
export interface HookProject {
  readonly id: number
  readonly fullPath: string
  readonly url: string
  readonly project: Readonly<Record<string, unknown>>
  readonly repository: Readonly<Record<string, unknown>>
  readonly defaultBranch: string | null
}

/** The project with that id. Undefined once it is gone. */
export const findProject = (context: BuildContext, id: number): Promise<HookProject | undefined> =>
  projectWhere(context, sql`p.id = ${id}`)

/** The project of a namespace. Undefined for one of a group. */
export const projectOfNamespace = (
  context: BuildContext,
  namespaceId: number | null,
): Promise<HookProject | undefined> =>
  namespaceId === null
    ? Promise.resolve(undefined)
    : projectWhere(context, sql`p.project_namespace_id = ${namespaceId}`)

async function projectWhere(
  { db, site, sshSite }: BuildContext,
  condition: RawBuilder<unknown>,
): Promise<HookProject | undefined> {
  const { rows } = await sql<ProjectRow>`
    select p.id, n.name, n.description, n.avatar, n.visibility, n.full_path, o.name as namespace,
      coalesce(r.default_branch, p.settings ->> 'default_branch') as default_branch,
      p.settings ->> 'ci_config_path' as ci_config_path
    from projects p join namespaces n on n.id = p.project_namespace_id
      join namespaces o on o.id = n.parent_id
      left join repositories r on r.project_id = p.id and r.kind = 'project'
    where ${condition} and n.deleted_at is null`.execute(db)
  const [row] = rows
  return row && presentProject(row, site, sshSite())
}

function presentProject(row: ProjectRow, site: string, sshSite: string | undefined): HookProject {
  const url = `${site}/${row.full_path}`
  const clone = `${url}.git`
  // Receivers demand one, and clone from it: without SSH they get what works.
  const ssh = sshSite === undefined ? clone : `${sshSite}${row.full_path}.git`
  const visibility_level = visibilityLevels[row.visibility]
  return {
    id: row.id,
    fullPath: row.full_path,
    url,
    defaultBranch: row.default_branch,
    project: {
      id: row.id,
      name: row.name,
      description: row.description,
      web_url: url,
      avatar_url: avatarUrl(site, 'project', row.id, row.avatar),
      git_ssh_url: ssh,
      git_http_url: clone,
      namespace: row.namespace,
      visibility_level,
      path_with_namespace: row.full_path,
      default_branch: row.default_branch,
      ci_config_path: row.ci_config_path,
      homepage: url,
      url: clone,
      ssh_url: ssh,
      http_url: clone,
    },
    repository: {
      name: row.name,
      url: clone,
      description: row.description,
      homepage: url,
      git_http_url: clone,
      git_ssh_url: ssh,
      visibility_level,
    },
  }
}

/** The short form of {@link HookProject.repository}. */
export const shortRepository = ({ repository }: HookProject) => ({
  name: repository['name'],
  url: repository['url'],
  description: repository['description'],
  homepage: repository['homepage'],
})

/** A label as payloads show it. */
export interface HookLabel {
  readonly id: number
  readonly title: string
}

/** Labels by their ids, in the order of their titles. Those that are gone are left out. */
export async function findLabels(db: Db, ids: readonly number[]): Promise<HookLabel[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<HookLabel & { created_at: string; updated_at: string }>`
    select l.id, l.name as title, l.color, p.id as project_id, l.created_at, l.updated_at, false as template,
      l.description, case when n.kind = 'group' then 'GroupLabel' else 'ProjectLabel' end as type,
      case when n.kind = 'group' then n.id end as group_id
    from labels l join namespaces n on n.id = l.namespace_id left join projects p on p.project_namespace_id = n.id
    where l.id = any(${[...ids]}::bigint[]) order by l.name, l.id`.execute(db)
  return rows.map((row) => ({ ...row, created_at: utc(row.created_at), updated_at: utc(row.updated_at) }))
}

/** The roles that payloads name. */
export const roleNames: Readonly<Record<number, string>> = {
  5: 'Minimal Access',
  10: 'Guest',
  15: 'Planner',
  20: 'Reporter',
  25: 'Security Manager',
  30: 'Developer',
  40: 'Maintainer',
  50: 'Owner',
}
