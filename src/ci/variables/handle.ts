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

/** Seals the value, if there is a new one, then changes the variable. */
export async function handleChange(
  req: FastifyRequest,
  services: Services,
  { kind, holder, key, scope }: Meant,
  changes: VariableChange,
): Promise<VariableRow> {
  const found = await findVariable(services.db, holder, key, scope)
  const sealed = changes.value === undefined ? undefined : await sealValue(services, changes.value)
  const open = (value: Buffer) => openValue(services, value)
  return req.write((tx) => updateVariable(tx, kind, found, changes, { sealed, open }))
}

export async function handleDeletion(
  req: FastifyRequest,
  { db }: Services,
  { kind, holder, key, scope }: Meant,
): Promise<void> {
  const found = await findVariable(db, holder, key, scope)
  await req.write((tx) => deleteVariable(tx, kind, found))
}
