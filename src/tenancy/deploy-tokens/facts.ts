import type { ContainerKind } from '#platform/access/container-sources.ts'
import { type AuditedFacts, eventForEach, namedTarget, until } from '#platform/facts/audited.ts'
import { fact, type DetailsOf } from '#platform/facts/definitions.ts'

/** A deploy token of a project or group. */
interface Token {
  readonly name: string
  readonly kind: ContainerKind
}

export const deployTokenFacts = {
  'deploy token created': fact<
    Token & { username: string; scopes: readonly string[]; expires_at: string | null }
  >(),
  'deploy token deleted': fact<Token>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof deployTokenFacts> {}
}

/** Those of projects have no prefix: they came first, and clients know the names. */
const eventNames = (done: string) => ({
  project: `deploy_token_${done}`,
  group: `group_deploy_token_${done}`,
})
const created = eventNames('created')
const deleted = eventNames('destroyed')

export const auditedDeployToken: AuditedFacts = {
  'deploy token created': eventForEach(Object.values(created), ({ target, details }) => [
    {
      event: created[details.kind],
      ...namedTarget(target, details.name),
      details: {
        add: 'deploy token',
        custom_message:
          `Created deploy token of ${details.username} with the scopes ${details.scopes.join(', ')}, ` +
          until(details.expires_at),
      },
    },
  ]),
  'deploy token deleted': eventForEach(Object.values(deleted), ({ target, details }) => [
    {
      event: deleted[details.kind],
      ...namedTarget(target, details.name),
      details: { remove: 'deploy token' },
    },
  ]),
}
