import { sql } from 'kysely'
import type { Static } from 'typebox'
import type { pipelinesOf } from '#code/pipelines/queries.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import type { PipelineFilter } from './parameters.ts'

type PipelineQuery = ReturnType<typeof pipelinesOf>

const running: readonly CiStatus[] = ['running']
const pending: readonly CiStatus[] = ['pending', 'created', 'waiting_for_resource', 'preparing']
const finished: readonly CiStatus[] = ['success', 'failed', 'canceled']
const scopes = { running, pending, finished }

export function filterPipelines(query: PipelineQuery, filter: Static<typeof PipelineFilter>): PipelineQuery {
  const { scope, status, ref, sha, yaml_errors, username, name, source } = filter
  const { updated_after, updated_before, created_after, created_before } = filter
  const author = sql<boolean>`p.user_id = (select id from users where lower(username) = lower(${username}::text))`
  const inScope =
    scope === 'running' || scope === 'pending' || scope === 'finished' ? scopes[scope] : undefined
  return (
    query
      .$if(inScope !== undefined, (q) => q.where('p.status', 'in', inScope ?? []))
      // The newest of each branch or tag.
      .$if(scope === 'branches' || scope === 'tags', (q) =>
        q
          .where('p.tag', '=', scope === 'tags')
          .where(
            sql<boolean>`p.id in (select max(x.id) from pipelines x where x.project_id = p.project_id and not x.is_child group by x.ref)`,
          ),
      )
      .$if(source !== 'parent_pipeline' && sha === undefined, (q) => q.where('p.is_child', '=', false))
      .$if(status !== undefined, (q) => q.where('p.status', '=', status ?? 'success'))
      .$if(source !== undefined, (q) => q.where('p.source', '=', source ?? ''))
      .$if(ref !== undefined && ref !== '', (q) => q.where('p.ref', '=', ref ?? ''))
      .$if(sha !== undefined && sha !== '', (q) => q.where('p.sha', '=', sha ?? ''))
      .$if(name !== undefined && name !== '', (q) => q.where('p.name', '=', name ?? ''))
      .$if(yaml_errors !== undefined, (q) =>
        q.where('p.yaml_errors', yaml_errors === true ? 'is not' : 'is', null),
      )
      .$if(username !== undefined && username !== '', (q) => q.where(author))
      .$if(updated_after !== undefined, (q) => q.where('p.updated_at', '>=', updated_after ?? ''))
      .$if(updated_before !== undefined, (q) => q.where('p.updated_at', '<=', updated_before ?? ''))
      .$if(created_after !== undefined, (q) => q.where('p.created_at', '>=', created_after ?? ''))
      .$if(created_before !== undefined, (q) => q.where('p.created_at', '<=', created_before ?? ''))
  )
}
