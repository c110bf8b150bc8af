import {
  type AuditedFacts,
  changeEventNames,
  changeEvents,
  eventForEach,
  namedTarget,
} from '#platform/facts/audited.ts'
import type { FieldChanges } from '#platform/facts/changes.ts'
import { fact, type DetailsOf } from '#platform/facts/definitions.ts'
import type { VariableRow } from './entity.ts'

export type HolderKind = 'project' | 'group' | 'instance'

interface VariableDetails {
  readonly holder: HolderKind
  readonly key: string
  readonly environment_scope: string
}

export const variableFacts = {
  'ci variable created': fact<VariableDetails>(),
  'ci variable changed': fact<VariableDetails & FieldChanges>(),
  'ci variable deleted': fact<VariableDetails>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof variableFacts> {}
}

/** What facts about a variable share. */
export const aboutVariable = (
  {
    id,
    namespace_id,
    key,
    environment_scope,
  }: Pick<VariableRow, 'id' | 'namespace_id' | 'key' | 'environment_scope'>,
  holder: HolderKind,
) => ({
  namespace: namespace_id,
  target: { type: 'CiVariable', id },
  details: { holder, key, environment_scope },
})

const nouns = {
  project: 'ci_variable',
  group: 'ci_group_variable',
  instance: 'ci_instance_variable',
} as const
const allNouns = Object.values(nouns)

const told = (done: 'created' | 'deleted', verb: 'add' | 'remove') =>
  eventForEach<'ci variable created' | 'ci variable deleted'>(
    allNouns.map((noun) => `${noun}_${done}`),
    ({ target, details }) => [
      {
        event: `${nouns[details.holder]}_${done}`,
        ...namedTarget(target, details.key),
        details: { [verb]: 'ci_variable', custom_message: `Environments: ${details.environment_scope}` },
      },
    ],
  )

export const auditedVariable: AuditedFacts = {
  'ci variable created': told('created', 'add'),
  'ci variable changed': eventForEach(
    allNouns.flatMap((noun) => changeEventNames(noun, {})),
    ({ target, details }) =>
      changeEvents(nouns[details.holder], {}, details, namedTarget(target, details.key)),
  ),
  'ci variable deleted': told('deleted', 'remove'),
}
