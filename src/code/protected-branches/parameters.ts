import { Type } from 'typebox'
import { noDeployKeys, protectedName } from '#code/protected-references/schema.ts'
import { refusedParameter } from '#platform/http/later.ts'
import { pageParameters } from '#platform/http/order.ts'
import { flag, integer, list, oneOfNumbers, text } from '#platform/http/schema.ts'

/** The most users, groups and levels that one request names for one action. */
const MAX_ALLOWED = 100

export const ProtectedFilter = Type.Object({
  ...pageParameters,
  search: Type.Optional(text({ description: 'Part of the name.' })),
})

const withoutNobody = oneOfNumbers([30, 40, 60])
const level = oneOfNumbers([0, 30, 40, 60])

const grantee = (levels: typeof level | typeof withoutNobody) => ({
  access_level: Type.Optional(levels),
  user_id: Type.Optional(integer({ minimum: 1 })),
  group_id: Type.Optional(integer({ minimum: 1 })),
  deploy_key_id: Type.Optional(integer(refusedParameter(noDeployKeys.deploy_key_id))),
})

const allowed = (levels: typeof level | typeof withoutNobody, what: string) =>
  Type.Optional(
    list(Type.Object(grantee(levels)), {
      max: MAX_ALLOWED,
      description: `Who may ${what}: levels, or on Premium also users and groups.`,
    }),
  )

const changed = (levels: typeof level | typeof withoutNobody, what: string) =>
  Type.Optional(
    list(
      Type.Object({
        id: Type.Optional(integer({ description: 'One that is there, to change or remove it.' })),
        _destroy: Type.Optional(flag({ description: 'Removes the one with this `id`.' })),
        ...grantee(levels),
      }),
      { max: MAX_ALLOWED, description: `Who else may ${what}, or no longer.` },
    ),
  )

const flags = {
  allow_force_push: Type.Optional(flag({ description: 'Whether those who may push may do so by force.' })),
  code_owner_approval_required: Type.Optional(
    flag({ description: 'Kept for merge requests, which do not exist yet. Needs Premium.' }),
  ),
}

export const NewProtectedBranch = Type.Object({
  name: protectedName,
  push_access_level: Type.Optional(
    oneOfNumbers([0, 30, 40, 60], {
      description: 'The lowest level that may push: 0 for nobody, 60 for administrators; 40 by default.',
    }),
  ),
  merge_access_level: Type.Optional(
    oneOfNumbers([0, 30, 40, 60], { description: 'The lowest level that may merge.' }),
  ),
  unprotect_access_level: Type.Optional(
    oneOfNumbers([30, 40, 60], { description: 'The lowest level that may change or end the protection.' }),
  ),
  ...flags,
  allowed_to_push: allowed(level, 'push'),
  allowed_to_merge: allowed(level, 'merge'),
  allowed_to_unprotect: allowed(withoutNobody, 'unprotect'),
})

export const ProtectedBranchChanges = Type.Object({
  ...flags,
  allowed_to_push: changed(level, 'push'),
  allowed_to_merge: changed(level, 'merge'),
  allowed_to_unprotect: changed(withoutNobody, 'unprotect'),
})
