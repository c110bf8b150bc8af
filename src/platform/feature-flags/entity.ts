import { type Static, Type } from 'typebox'
import { entity, nullable, oneOf } from '#platform/http/schema.ts'
import { definitions, isSwitchName, type FeatureFlagName, switchNames } from './definitions.ts'
import { type Gates, type State, stateOf } from './gates.ts'

const unsaid = nullable(Type.String())

/** A feature flag that the program knows, as on the wire. */
export const FeatureDefinition = entity('FeatureDefinition', {
  name: Type.String(),
  feature_issue_url: unsaid,
  introduced_by_url: unsaid,
  rollout_issue_url: unsaid,
  milestone: unsaid,
  log_state_changes: nullable(Type.Boolean()),
  type: Type.String(),
  group: unsaid,
  default_enabled: Type.Boolean(),
  intended_to_rollout_by: unsaid,
})

const gateKeys = ['boolean', 'actors', 'percentage_of_actors', 'percentage_of_time', 'groups'] as const

/** A feature flag that was set, as on the wire. */
export const FeatureSwitch = entity('Feature', {
  name: Type.String(),
  state: oneOf<State>(['on', 'off', 'conditional'], {
    description: '`on` for everybody, `off` for nobody, `conditional` for those with an open gate.',
  }),
  gates: Type.Array(
    Type.Object({
      key: oneOf(gateKeys),
      value: Type.Unsafe<boolean | number | readonly string[]>({
        description: 'A boolean, a percentage, or a list of names such as `User:1`.',
      }),
    }),
  ),
  definition: nullable(FeatureDefinition),
})

export function presentSwitch(row: Gates & { readonly name: string }): Static<typeof FeatureSwitch> {
  const { name } = row
  const definition = isSwitchName(name) ? presentDefinition(name) : null
  return { name, state: stateOf(row), gates: presentGates(row), definition }
}

/** Only the first gate is listed even when it is closed. */
function presentGates(gates: Gates): Static<typeof FeatureSwitch>['gates'] {
  const { enabled, actors, groups, percentage_of_actors, percentage_of_time } = gates
  return [
    { key: 'boolean', value: enabled },
    ...(actors.length > 0 ? [{ key: 'actors', value: actors } as const] : []),
    ...(percentage_of_actors > 0
      ? [{ key: 'percentage_of_actors', value: percentage_of_actors } as const]
      : []),
    ...(percentage_of_time > 0 ? [{ key: 'percentage_of_time', value: percentage_of_time } as const] : []),
    ...(groups.length > 0 ? [{ key: 'groups', value: groups } as const] : []),
  ]
}

export const presentDefinitions = (): Static<typeof FeatureDefinition>[] => switchNames.map(presentDefinition)

function presentDefinition(name: FeatureFlagName): Static<typeof FeatureDefinition> {
  const { type, default: standard } = definitions[name]
  return {
    name,
    feature_issue_url: null,
    introduced_by_url: null,
    rollout_issue_url: null,
    milestone: null,
    log_state_changes: null,
    type,
    group: null,
    default_enabled: standard,
    intended_to_rollout_by: null,
  }
}
