import { createHash } from 'node:crypto'
import type { ClientBase } from 'pg'

/** How much to fill in. */
export interface LargeSizes {
  readonly issues: number
  /** Of the projects, those that share nearly all issues. The first is in a group of the member; nobody sees the others. */
  readonly large: number
  readonly projects: number
  readonly groups: number
  /** Of the groups, those that the member is in. */
  readonly memberships: number
  readonly people: number
  /**
   * Leaves PostgreSQL with the statistics that it had when every project had as few issues as the small ones, as after a
   * large import. Otherwise they are fresh.
   */
  readonly stale: boolean
}

/** Somebody who asks. */
export interface LargeUser {
  readonly id: number
  readonly token: string
}

/** What was filled in, and what to ask about it. */
export interface LargeData {
  /** Has `issues / large` issues; private, in {@link memberGroup}. */
  readonly largeProject: number
  /** Private like the first, but only administrators see them. They have the newest issues of all. */
  readonly foreignProjects: readonly number[]
  /** Public; with as few issues as most. */
  readonly smallProject: number
  readonly memberGroup: number
  /** Developer of some of the groups. Wrote a fiftieth of the issues that they see. */
  readonly member: LargeUser
  /** Direct member of every small project. */
  readonly joiner: LargeUser
  /** Member of nothing. */
  readonly stranger: LargeUser
}

const DEFAULTS: LargeSizes = {
  issues: 200_000,
  large: 3,
  projects: 2_000,
  groups: 200,
  memberships: 100,
  people: 50,
  stale: false,
}

/** Issues of a small project, and what each project has of labels and milestones. */
const FEW = 10
const LABELS = 10
const MILESTONES = 10

/** The tables whose rows are so many that their indexes are built afterwards. */
const FILLED = ['noteables', 'issues', 'issue_search', 'issue_labels', 'issue_assignees']

/**
 * Fills a database with many issues that are unevenly distributed over projects, in about a minute. Each project has the
 * labels `label-1` (on half of its issues), `label-2` (on a tenth of these) to `label-10` (on one issue in 100,000), and
 * the milestones `milestone-1` to `milestone-10`. Every issue has the word `deployment`, and a word of its own, `md5` of its
 * number.
 * @param client of a migrated database; it needs no rights but those of the tables' owner.
 */
export async function fillLarge(client: ClientBase, sizes: Partial<LargeSizes> = {}): Promise<LargeData> {
  const all = { ...DEFAULTS, ...sizes }
  await client.query('set statement_timeout = 0; set synchronous_commit = off')
  const users = await insertUsers(client, all)
  const projects = await insertProjects(client, all)
  await insertMembers(client, all, users)
  await insertContents(client)
  await client.query('analyze users, namespaces, projects, members, labels, milestones')
  await withoutIndexes(client, async () => {
    await insertIssues(client, all, users.member.id, 1, FEW)
    if (all.stale) await client.query(`analyze ${FILLED.join(', ')}`)
    const each = Math.max(FEW, Math.floor((all.issues - (all.projects - all.large) * FEW) / all.large))
    await insertIssues(client, all, users.member.id, FEW + 1, each)
  })
  for (const table of all.stale ? FILLED : []) {
    await client.query(`alter table ${table} set (autovacuum_enabled = off)`)
  }
  await client.query(all.stale ? `vacuum ${FILLED.join(', ')}` : 'vacuum analyze')
  await client.query(
    'reset statement_timeout; reset synchronous_commit; drop table large_people, large_projects',
  )
  return { ...projects, ...users }
}

async function numbers(client: ClientBase, text: string, values: unknown[] = []): Promise<number[]> {
  const { rows } = await client.query<{ id: string | number }>(text, values)
  return rows.map(({ id }) => Number(id))
}

async function insertUsers(client: ClientBase, { people }: LargeSizes) {
  const names = [...Array.from({ length: people }, (_, n) => `large-person-${n + 1}`), ...ASKERS]
  await client.query(
    `create temporary table large_people as
    with made as (
      insert into users (username, name, email, created_at, updated_at, confirmed_at)
      select name, name, name || '@example.com', now(), now(), now() from unnest($1::text[]) as name
      returning id, username
    ), spaces as (
      insert into namespaces (kind, owner_id, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
      select 'user', id, '{}', username, username, username, username, 'public', now(), now() from made
    ) select id, username, row_number() over (order by id) as n from made`,
    [names],
  )
  await client.query(
    `update namespaces set traversal_ids = array[id] where kind = 'user' and traversal_ids = '{}'`,
  )
  return {
    member: await withToken(client, 'large-member'),
    joiner: await withToken(client, 'large-joiner'),
    stranger: await withToken(client, 'large-stranger'),
  }
}

const ASKERS = ['large-member', 'large-joiner', 'large-stranger'] as const

async function withToken(client: ClientBase, username: (typeof ASKERS)[number]): Promise<LargeUser> {
  const token = `glpat-${username}-of-the-measurements`
  const [id] = await numbers(
    client,
    `insert into access_tokens (kind, user_id, name, scopes, digest, created_at)
    select 'personal', id, 'measurements', '{api}', $2, now() from users where username = $1 returning user_id as id`,
    [username, createHash('sha256').update(token).digest()],
  )
  if (id === undefined) throw new Error(`There is no ${username}`)
  return { id, token }
}

async function insertProjects(client: ClientBase, { large, projects, groups, memberships }: LargeSizes) {
  await client.query(
    `insert into namespaces (kind, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
    select 'group', '{}', 'large-group-' || n, 'large-group-' || n, 'Group ' || n, 'Group ' || n, 'public', now(), now()
    from generate_series(1, $1::integer) as n`,
    [groups],
  )
  await client.query(
    `update namespaces set traversal_ids = array[id] where kind = 'group' and traversal_ids = '{}'`,
  )
  // The first large project is in the first group, the others are in groups of strangers.
  await client.query(
    `with places as (
      select n, case when n = 1 then 1 when n <= $2::integer then $3::integer - n + 2 else 1 + n % $3::integer end as place
      from generate_series(1, $1::integer) as n
    )
    insert into namespaces (kind, parent_id, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
    select 'project', g.id, array[g.id], 'project-' || n, g.full_path || '/project-' || n, 'Project ' || n,
      g.full_name || ' / Project ' || n, (case when n <= $2::integer or n % 4 = 0 then 'private' else 'public' end)::visibility,
      now() - n * interval '1 minute', now() - n * interval '1 minute'
    from places join namespaces g on g.full_path = 'large-group-' || place`,
    [projects, large, groups],
  )
  await client.query(`
    update namespaces set traversal_ids = traversal_ids || id where kind = 'project' and array_length(traversal_ids, 1) = 1
      and full_path like 'large-group-%'`)
  await client.query(`
    create temporary table large_projects as
    with made as (
      insert into projects (project_namespace_id, creator_id, last_activity_at)
      select id, (select min(id) from large_people), updated_at from namespaces
      where kind = 'project' and full_path like 'large-group-%' returning id, project_namespace_id
    )
    select made.id, project_namespace_id as namespace_id, parent_id as group_id, visibility, substr(path, 9)::integer as n
    from made join namespaces ns on ns.id = project_namespace_id`)
  if (memberships + large > groups) throw new Error('There are too few groups of strangers')
  const ids = await numbers(client, `select id from large_projects where n <= $1 order by n`, [large])
  const [group] = await numbers(client, `select group_id as id from large_projects where n = 1`)
  const [small] = await numbers(
    client,
    `select id from large_projects where n > $1 and visibility = 'public' order by n limit 1`,
    [large],
  )
  const [first, ...foreign] = ids
  if (first === undefined || small === undefined || group === undefined)
    throw new Error('No projects were made')
  return { largeProject: first, foreignProjects: foreign, smallProject: small, memberGroup: group }
}

async function insertMembers(
  client: ClientBase,
  { large, memberships }: LargeSizes,
  { member, joiner }: { readonly member: LargeUser; readonly joiner: LargeUser },
): Promise<void> {
  await client.query(
    `insert into members (namespace_id, user_id, access_level, created_at, updated_at)
    select id, $1, 30, now(), now() from namespaces
    where kind = 'group' and full_path = any(select 'large-group-' || n from generate_series(1, $2::integer) as n)`,
    [member.id, memberships],
  )
  await client.query(
    `insert into members (namespace_id, user_id, access_level, created_at, updated_at)
    select namespace_id, $1, 30, now(), now() from large_projects where n > $2`,
    [joiner.id, large],
  )
}

/** Labels, their priorities, and milestones. */
async function insertContents(client: ClientBase): Promise<void> {
  await client.query(
    `insert into labels (namespace_id, name, color, created_at, updated_at)
    select namespace_id, 'label-' || l, '#ff0000', now(), now() from large_projects, generate_series(1, $1::integer) as l`,
    [LABELS],
  )
  await client.query(`
    insert into label_priorities (project_id, label_id, priority)
    select p.id, l.id, substr(l.name, 7)::integer from large_projects p join labels l on l.namespace_id = p.namespace_id
    where l.name in ('label-1', 'label-2', 'label-3')`)
  await client.query(
    `insert into milestones (namespace_id, iid, title, description, due_date, created_at, updated_at)
    select namespace_id, m, 'milestone-' || m, 'What is due', case when m % 3 > 0 then current_date + m end, now(), now()
    from large_projects, generate_series(1, $1::integer) as m`,
    [MILESTONES],
  )
  await client.query(
    `insert into internal_ids (namespace_id, kind, last_iid) select namespace_id, 'milestone', $1 from large_projects`,
    [MILESTONES],
  )
}

/** Gives each large project the issues from one number to another, and each small one as many of these as it has. */
async function insertIssues(
  client: ClientBase,
  { large, people }: LargeSizes,
  memberId: number,
  from: number,
  to: number,
): Promise<void> {
  await client.query(
    `create temporary table large_issues as
    select nextval('noteables_id_seq') as id, p.id as project_id, p.namespace_id, p.n as project, i.n,
      p.n between 2 and $1::integer as is_foreign
    from large_projects p,
      generate_series($2::integer, case when p.n <= $1::integer then $3::integer else least($3::integer, ${FEW}) end) as i (n)
    order by i.n, p.n`,
    [large, from, to],
  )
  await client.query(
    `insert into noteables (id, kind, namespace_id, updated_at)
    select id, 'issue', namespace_id, now() - (n * 7919 % 100003) * interval '1 minute' - project * interval '1 ms'
    from large_issues`,
  )
  await client.query(
    `insert into issues (id, project_id, iid, title, description, author_id, state, confidential, milestone_id, weight,
      due_date, relative_position, upvotes, closed_at, created_at)
    select i.id, i.project_id, n, 'Issue ' || n || ' about ' || left(md5(n::text), 8), 'The deployment says ' || md5(n::text)
      || repeat(' and then it goes on for a line or so, as people write', 1 + n % 8),
      case when n % 50 = 0 and not is_foreign then $1 else (select id from large_people where large_people.n = 1 + i.n % $2::integer) end,
      (case when n % 3 = 0 then 'closed' else 'opened' end)::issue_state, n % 20 = 0,
      m.id, case when n % 2 = 0 then n % 7 end, case when n % 4 = 0 then current_date + n % 100 end,
      case when n % 5 = 0 then n end, n % 13, case when n % 3 = 0 then now() - n * interval '1 minute' end,
      now() - n * interval '1 minute' - project * interval '1 ms' - case when is_foreign then interval '0' else interval '300 days' end
    from large_issues i left join milestones m on m.namespace_id = i.namespace_id and m.iid = n % 12`,
    [memberId, people],
  )
  await client.query(`
    insert into issue_search (issue_id, search)
    select i.id, issue_words(i.title, i.description) from issues i join large_issues using (id)`)
  await client.query(`
    insert into issue_labels (issue_id, label_id)
    select i.id, l.id from large_issues i join labels l on l.namespace_id = i.namespace_id
    where case l.name when 'label-1' then n % 2 = 0 when 'label-2' then n % 20 = 4 when 'label-3' then n % 7 = 3
      when 'label-4' then n % 30 = 4 when 'label-5' then n % 100 = 2 when 'label-6' then n % 1000 = 6
      else n % 100000 = substr(l.name, 7)::integer end`)
  await client.query(
    `insert into issue_assignees (issue_id, user_id)
    select i.id, case when i.n % 100 = 0 and not is_foreign then $1 else u.id end
    from large_issues i join large_people u on u.n = 1 + i.n % $2::integer where i.n % 3 = 1`,
    [memberId, people],
  )
  await client.query(`
    insert into internal_ids (namespace_id, kind, last_iid) select namespace_id, 'issue', max(n) from large_issues group by 1
    on conflict (namespace_id, kind) do update set last_iid = excluded.last_iid`)
  await client.query('drop table large_issues')
}

/** Without secondary indexes and the trigger that keeps the words, hundreds of thousands of rows take a fraction of the time. */
async function withoutIndexes(client: ClientBase, fill: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
    where i.indrelid = any($1::regclass[]) and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid)`,
    [FILLED],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  await client.query('alter table issues disable trigger user')
  await fill()
  await client.query('alter table issues enable trigger user')
  for (const { definition } of rows) await client.query(definition)
}
