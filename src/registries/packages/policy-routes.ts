import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { group, project, reads, writes } from '#platform/access/route-access.ts'
import type { Db } from '#platform/db/pool.ts'
import { ById, entity, flag, integer, moment, nullable, text } from '#platform/http/schema.ts'
import { isoOrNull } from '#platform/http/time.ts'
import { cleanupPolicyOf, keepCleanupPolicy } from './cleanup-policy.ts'
import { keepPackageSettings, packageSettingsOf } from './duplicates.ts'
import { Duplicates } from './policy-entity.ts'

const CleanupPolicy = entity('PackagesCleanupPolicy', {
  keep_n_duplicated_package_files: nullable(integer({ description: 'Null for all.' })),
  next_run_at: nullable(moment()),
})

const expression = () =>
  Type.Optional(
    text({
      max: 255,
      description:
        'Packages for which the opposite holds: an expression of RE2 for the whole name or version.',
    }),
  )

/** What projects keep of their packages, and whether files may be published again. */
export const packagePolicyRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const policy = '/projects/:id/packages/cleanup_policy'
  const settings = '/groups/:id/packages/settings'

  app.get(
    policy,
    {
      config: reads(project('admin_package')),
      schema: {
        summary: 'Get the cleanup policy of packages of a project',
        params: ById,
        response: { 200: CleanupPolicy },
      },
    },
    (req) => presentPolicy(db, req.project().container.id),
  )

  app.put(
    policy,
    {
      config: writes(project('admin_package')),
      schema: {
        summary: 'Change the cleanup policy of packages of a project',
        description: 'A job runs it every twelve hours.',
        params: ById,
        body: Type.Object({
          keep_n_duplicated_package_files: nullable(
            integer({
              minimum: 1,
              maximum: 1_000,
              description: 'How many files of one name each package keeps, the newest; null keeps all.',
            }),
          ),
        }),
        response: { 200: CleanupPolicy },
      },
    },
    async (req) => {
      const { container } = req.project()
      const keep = req.body.keep_n_duplicated_package_files ?? undefined
      await req.write((tx) => keepCleanupPolicy(tx, container, keep))
      return presentPolicy(db, container.id)
    },
  )

  app.get(
    settings,
    {
      config: reads(group('admin_package_settings')),
      schema: {
        summary: 'Get whether packages of a group may be published again',
        description: 'What the nearest group says that says anything.',
        params: ById,
        response: { 200: Duplicates },
      },
    },
    (req) => packageSettingsOf(db, req.group().container.traversal_ids),
  )

  app.put(
    settings,
    {
      config: writes(group('admin_package_settings')),
      schema: {
        summary: 'Change whether packages of a group may be published again',
        description: 'What is not named stays as it was.',
        params: ById,
        body: Type.Object({
          generic_duplicates_allowed: Type.Optional(flag()),
          generic_duplicate_exception_regex: expression(),
          maven_duplicates_allowed: Type.Optional(flag()),
          maven_duplicate_exception_regex: expression(),
        }),
        response: { 200: Duplicates },
      },
    },
    async (req) => {
      const { container } = req.group()
      await req.write((tx) => keepPackageSettings(tx, container, req.body))
      return packageSettingsOf(db, container.traversal_ids)
    },
  )
}

async function presentPolicy(db: Db, projectId: number): Promise<Static<typeof CleanupPolicy>> {
  const found = await cleanupPolicyOf(db, projectId)
  return {
    keep_n_duplicated_package_files: found?.keep_n_duplicated_package_files ?? null,
    next_run_at: isoOrNull(found?.next_run_at ?? null),
  }
}
