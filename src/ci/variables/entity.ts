import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import type { CiVariables } from '#platform/db/schema.ts'
import { entity, nullable, oneOf } from '#platform/http/schema.ts'
import { openValue } from './values.ts'

const common = {
  variable_type: oneOf(['env_var', 'file']),
  key: Type.String(),
  protected: Type.Boolean(),
  masked: Type.Boolean(),
  raw: Type.Boolean(),
  description: nullable(Type.String()),
}

/** A variable of a project or group as the API presents it. */
export const Variable = entity('CiVariable', {
  ...common,
  value: nullable(Type.String({ description: 'Null when it is hidden.' })),
  hidden: Type.Boolean(),
  environment_scope: Type.String(),
})

/** A variable of the instance as the API presents it. */
export const InstanceVariable = entity('CiInstanceVariable', { ...common, value: Type.String() })

export const variableColumns = [
  'id',
  'namespace_id',
  'key',
  'value',
  'variable_type',
  'environment_scope',
  'description',
  'protected',
  'masked',
  'hidden',
  'raw',
  'updated_at',
] as const

/** A row of a variable. */
export type VariableRow = Pick<Selectable<CiVariables>, (typeof variableColumns)[number]>

type Services = Parameters<typeof openValue>[0]

export async function presentVariable(
  services: Services,
  row: VariableRow,
): Promise<Static<typeof Variable>> {
  const { hidden, environment_scope } = row
  const value = hidden ? null : await openValue(services, row.value)
  return { ...commonOf(row), value, hidden, environment_scope }
}

export const presentInstanceVariable = async (
  services: Services,
  row: VariableRow,
): Promise<Static<typeof InstanceVariable>> => ({
  ...commonOf(row),
  value: await openValue(services, row.value),
})

function commonOf({ variable_type, key, protected: isProtected, masked, raw, description }: VariableRow) {
  // The table's check allows no other words.
  const type = variable_type === 'file' ? ('file' as const) : ('env_var' as const)
  return { variable_type: type, key, protected: isProtected, masked, raw, description }
}
