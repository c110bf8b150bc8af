import { type RawBuilder, sql } from 'kysely'
import { type AuditedFacts, auditedFacts, type AuditEvent } from '#platform/facts/audited.ts'
import type { Consumer, Fact, FactName, FactOf, RecordedBy } from '#platform/facts/fact.ts'

/** The author of actions for which nobody was signed in. */
const NOBODY = -1

/** The entity for events that concern no user, group or project. */
const INSTANCE = { entity_type: 'Gitlab::Audit::InstanceScope', entity_id: 1, entity_path: 'gitlab_instance' }

/**
 * Stores audit events in the statement that records the domain events. It stores the names of that time, because
 * accounts, groups and projects may be gone later.
 */
export const auditEvents: Consumer = {
  name: 'audit',
  facts: () => Object.keys(audited()).filter(isAudited),
  rows: (fact, by) => tell(fact, by).map((told) => ({ ...rowOf(told), ...authorOf(by) })),
  statement,
}

let known: AuditedFacts | undefined
const audited = (): AuditedFacts => (known ??= Object.assign({}, ...auditedFacts.entries))

function isAudited(name: string): name is FactName {
  return Object.hasOwn(audited(), name)
}

function tell<Name extends FactName>(
  fact: FactOf<Name> & Fact,
  { author }: RecordedBy,
): readonly AuditEvent[] {
  return audited()[fact.name]?.tell(fact, author?.id ?? null) ?? []
}

/** A row for `jsonb_to_recordset`. */
function rowOf({ event, entity, target, details }: AuditEvent) {
  const subject = entity === 'instance' ? INSTANCE : 'type' in entity ? gone(entity) : entity
  return {
    event,
    ...subject,
    details,
    ...(target && { target_type: target.type, target_id: target.id, target_name: target.name }),
  }
}

const gone = ({ type, id, path }: { readonly type: string; readonly id: number; readonly path: string }) => ({
  entity_type: type,
  entity_id: id,
  entity_path: path,
})

const authorOf = ({ author, impersonatorId, ip, now }: RecordedBy) => ({
  author_id: author?.id ?? null,
  nobody: ip === null ? 'System' : 'An unauthenticated user',
  behind_id: impersonatorId,
  ip,
  at: now,
})

/** The statement looks each name up by its key. */
function statement(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into audit_events (event_name, author_id, author_name, author_email, entity_type, entity_id, entity_path,
      target_type, target_id, target_details, details, ip, created_at)
    select told.event, coalesce(told.author_id, ${sql.lit(NOBODY)}),
      coalesce((select a.name from users a where a.id = told.author_id), told.nobody),
      (select a.email from users a where a.id = told.author_id),
      e.type, e.id, e.path, coalesce(told.target_type, e.type), coalesce(told.target_id, e.id),
      coalesce(told.target_name, case coalesce(told.target_type, e.type)
        when 'User' then (select u.name from users u where u.id = coalesce(told.target_id, e.id))
        when 'Group' then (select g.full_path from namespaces g where g.id = told.target_id)
      end, e.path),
      told.details || coalesce((select jsonb_build_object('impersonated_by', b.name, 'impersonated_by_id', b.id)
        from users b where b.id = told.behind_id), '{}'),
      told.ip, told.at
    from jsonb_to_recordset(${rows}) as told (event text, namespace bigint, "user" bigint,
        entity_type text, entity_id bigint, entity_path text, target_type text, target_id bigint, target_name text,
        details jsonb, author_id bigint, nobody text, behind_id bigint, ip text, at timestamptz)
      cross join lateral (
        select case n.kind when 'user' then 'User' when 'group' then 'Group' else 'Project' end,
          case n.kind when 'user' then n.owner_id when 'group' then n.id
            else (select p.id from projects p where p.project_namespace_id = n.id) end,
          n.full_path
        from namespaces n where n.id = told.namespace
        union all
        select 'User', u.id, u.username from users u where u.id = told."user"
        union all
        select told.entity_type, told.entity_id, told.entity_path where told.entity_type is not null
      ) as e (type, id, path)`
}
