import type { FastifyRequest } from 'fastify'
import { levels } from '#platform/access/roles.ts'
import { assertTier } from '#platform/access/tiers.ts'
import type { ProtectedAction } from '#platform/db/schema.ts'
import { refuseLater } from '#platform/http/later.ts'
import { type RequestedGrantee, namesPeople, type NewGrant, readGrantee } from './grantees.ts'
import { noDeployKeys } from './schema.ts'

type Services = FastifyRequest['server']['services']

const people = { licensedArea: 'Protection for users and groups', plan: 'premium' } as const
const codeOwners = { licensedArea: 'Approval by code owners', plan: 'premium' } as const

/** @throws 403 for what the plan does not have, 400 for deploy keys */
export function assertLicensed(
  services: Services,
  { code_owner_approval_required = false }: { readonly code_owner_approval_required?: boolean },
  grantees: readonly RequestedGrantee[],
): void {
  for (const grantee of grantees) refuseLater(grantee, noDeployKeys)
  if (namesPeople(grantees)) assertTier(people, services)
  if (code_owner_approval_required) assertTier(codeOwners, services)
}

/** A level and a list name grantees together. Unless a request names any, Maintainers are meant. */
export function requestedGrantees(
  level: number | undefined,
  list: readonly RequestedGrantee[] | undefined,
): readonly RequestedGrantee[] {
  const all = [...(level === undefined ? [] : [{ access_level: level }]), ...(list ?? [])]
  return all.length === 0 ? [{ access_level: levels.maintainer }] : all
}

export const grantsFor = (action: ProtectedAction, grantees: readonly RequestedGrantee[]): NewGrant[] =>
  grantees.map((grantee) => readGrantee(action, grantee))
