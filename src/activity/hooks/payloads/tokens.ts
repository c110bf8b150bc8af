import { payloadKind } from './kind.ts'
import { projectOfNamespace, utc } from './shapes.ts'

/** Access tokens of projects and groups that end soon. */
export const tokenPayloads = payloadKind({
  facts: ['token expires soon'],
  interestedHooks: ({ namespace }) =>
    namespace === null ? undefined : { triggers: ['resource_access_token_events'], system: 'none' },
  build: async ([fact], context) => {
    const target = fact?.target ?? null
    if (fact === undefined || target === null || fact.namespace === null) return []
    const token = await context.db
      .selectFrom('access_tokens')
      .select(['user_id', 'created_at'])
      .where('id', '=', target.id)
      .executeTakeFirst()
    const project = await projectOfNamespace(context, fact.namespace)
    const group = await context.db
      .selectFrom('namespaces')
      .select(['id as group_id', 'name as group_name', 'path as group_path', 'full_path'])
      .where('id', '=', fact.namespace)
      .executeTakeFirst()
    if (token === undefined || group === undefined) return []
    return [
      {
        to: 'project and group hooks',
        triggers: ['resource_access_token_events'],
        name: 'Resource Access Token Hook',
        data: {
          object_kind: 'access_token',
          ...(project === undefined ? { group } : { project: project.project }),
          object_attributes: {
            user_id: token.user_id,
            created_at: utc(token.created_at),
            id: target.id,
            name: fact.details.name,
            expires_at: fact.details.expires_at,
          },
          event_name: 'expiring_access_token',
        },
      },
    ]
  },
})
