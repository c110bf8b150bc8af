import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import type { PackageType } from '#platform/db/schema.ts'
import { type ListOrder, pageParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, integer, NoContent, nullable, oneOf, text } from '#platform/http/schema.ts'
import { minimumLevels } from '../protection/minimum-levels.ts'
import {
  createPackageRule,
  deletePackageRule,
  packageRule,
  packageRulesOf,
  updatePackageRule,
} from './protection-rules.ts'
import { PackageProtectionRule } from './rule-entity.ts'
import { packageTypes } from './types.ts'

const level = <const L extends string>(levels: readonly L[], doing: string) =>
  Type.Optional(
    nullable(oneOf(['', ...levels], { description: `The role that it takes to ${doing}; blank for none.` })),
  )
const levels = {
  minimum_access_level_for_push: level(minimumLevels, 'publish'),
  minimum_access_level_for_delete: level(['owner', 'admin'], 'delete'),
}
const pattern = text({
  max: 255,
  filled: true,
  description: "A package's name, in which `*` stands for anything.",
})
const type = oneOf<PackageType>(packageTypes)

const ByRule = Type.Object({ ...ById.properties, package_protection_rule_id: integer() })

const presentRule = (row: Static<typeof PackageProtectionRule>): Static<typeof PackageProtectionRule> => ({
  id: row.id,
  project_id: row.project_id,
  package_name_pattern: row.package_name_pattern,
  package_type: row.package_type,
  minimum_access_level_for_push: row.minimum_access_level_for_push,
  minimum_access_level_for_delete: row.minimum_access_level_for_delete,
})

/** As they were made. */
const order: ListOrder = {
  of: 'Packages::Protection::Rule',
  id: 'id',
  columns: { id: { column: 'id' } },
  by: 'id',
  sort: 'asc',
}

interface SentRule<Push extends string, Delete extends string> {
  readonly minimum_access_level_for_push?: Push | '' | null
  readonly minimum_access_level_for_delete?: Delete | '' | null
}

/** The roles that a client has sent; a blank one asks for none. */
const sentLevels = <Push extends string, Delete extends string>({
  minimum_access_level_for_push: push,
  minimum_access_level_for_delete: del,
}: SentRule<Push, Delete>) => ({
  ...(push !== undefined && { minimum_access_level_for_push: push === '' ? null : push }),
  ...(del !== undefined && { minimum_access_level_for_delete: del === '' ? null : del }),
})

/** Rules that say who may publish packages, and delete them. */
export const packageRuleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const all = '/projects/:id/packages/protection/rules'
  const one = `${all}/:package_protection_rule_id` as const
  const behind = { featureFlag: 'packages_protected_packages' } as const

  app.get(
    all,
    {
      config: reads(project('admin_package'), behind),
      schema: {
        summary: 'List the rules that protect packages',
        params: ById,
        querystring: Type.Object(pageParameters),
        response: { 200: Type.Array(PackageProtectionRule) },
      },
    },
    async (req, reply) => {
      const rows = await paginate(req, reply, packageRulesOf(db, req.project().container.id), order)
      return rows.map(presentRule)
    },
  )

  app.post(
    all,
    {
      config: writes(project('admin_package'), behind),
      schema: {
        summary: 'Protect packages',
        params: ById,
        body: Type.Object({ package_name_pattern: pattern, package_type: type, ...levels }),
        response: { 201: PackageProtectionRule },
      },
    },
    async (req) => {
      const { container } = req.project()
      const { package_name_pattern, package_type, ...sent } = req.body
      const id = await req.write((tx) =>
        createPackageRule(tx, container, {
          package_name_pattern,
          package_type,
          ...sentLevels(sent),
        }),
      )
      return presentRule(await packageRule(db, container.id, id))
    },
  )

  app.patch(
    one,
    {
      config: writes(project('admin_package'), behind),
      schema: {
        summary: 'Change a rule that protects packages',
        params: ByRule,
        body: Type.Object({
          package_name_pattern: Type.Optional(pattern),
          package_type: Type.Optional(type),
          ...levels,
        }),
        response: { 200: PackageProtectionRule },
      },
    },
    async (req) => {
      const { container } = req.project()
      const { package_name_pattern, package_type, ...sent } = req.body
      const { package_protection_rule_id: id } = req.params
      await req.write((tx) =>
        updatePackageRule(tx, container, id, {
          ...(package_name_pattern !== undefined && { package_name_pattern }),
          ...(package_type !== undefined && { package_type }),
          ...sentLevels(sent),
        }),
      )
      return presentRule(await packageRule(db, container.id, id))
    },
  )

  app.delete(
    one,
    {
      config: writes(project('admin_package'), behind),
      schema: {
        summary: 'Delete a rule that protects packages',
        params: ByRule,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { container } = req.project()
      await req.write((tx) => deletePackageRule(tx, container, req.params.package_protection_rule_id))
    },
  )
}
