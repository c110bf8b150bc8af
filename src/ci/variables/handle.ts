import type { FastifyRequest } from 'fastify'
import type { Db } from '#platform/db/pool.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import { createVariable, type NewVariable } from './create-variable.ts'
import { deleteVariable } from './delete-variable.ts'
import type { VariableRow } from './entity.ts'
import type { HolderKind } from './facts.ts'
import { findVariable, type Holder } from './queries.ts'
import { updateVariable, type VariableChange } from './update-variable.ts'
import { openValue, sealValue } from './values.ts'

interface Services {
  readonly db: Db
  readonly secrets: Secrets
}

/** Whose variable, and which. */
export interface Meant {
  readonly kind: HolderKind
  readonly holder: Holder
  readonly key: string
  readonly scope?: string | undefined
}

/** Seals the value, then makes the variable. */
export async function handleCreation(
  req: FastifyRequest,
  services: Services,
  whose: Pick<Meant, 'kind' | 'holder'>,
  given: NewVariable,
): Promise<VariableRow> {
  const sealed = await sealValue(services, given.value)
  return req.write((tx) => createVariable(tx, whose, given, sealed))
}

/** Reads the variable with its value, which decides whether it can be masked, then changes it. */
export async function handleChange(
  req: FastifyRequest,
  services: Services,
  { kind, holder, key, scope }: Meant,
  changes: VariableChange,
): Promise<VariableRow> {
  const found = await findVariable(services.db, holder, key, scope)
  const next =
    changes.value === undefined
      ? { plain: await openValue(services, found.value), sealed: found.value }
      : { plain: changes.value, sealed: await sealValue(services, changes.value) }
  return req.write((tx) => updateVariable(tx, kind, found, changes, next))
}

export async function handleDeletion(
  req: FastifyRequest,
  { db }: Services,
  { kind, holder, key, scope }: Meant,
): Promise<void> {
  const found = await findVariable(db, holder, key, scope)
  await req.write((tx) => deleteVariable(tx, kind, found))
}
