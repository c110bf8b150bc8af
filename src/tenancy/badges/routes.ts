import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { checkUrls } from './check-urls.ts'
import { createBadge } from './create-badge.ts'
import { deleteBadge } from './delete-badge.ts'
import { Badge, BadgePreview, type BadgeRow, presentBadge, presentUrls } from './entity.ts'
import { BadgeChanges, BadgeFilter, BadgeUrls, ByBadge, NewBadge } from './parameters.ts'
import { findPlaceholderValues } from './placeholder-values.ts'
import { badgeOrder, badgesOf, filterBadges, findBadge, lockBadge } from './queries.ts'
import { updateBadge } from './update-badge.ts'

/** Badges of projects and groups. */
export const badgeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const { kind, subject, open } of projectsAndGroups) {
    const collection = `/${kind}s/:id/badges` as const

    const valuesFor = (req: FastifyRequest) => findPlaceholderValues(db, open(req).container, req)
    const presenter = async (req: FastifyRequest) => {
      const values = await valuesFor(req)
      return (badge: BadgeRow): Static<typeof Badge> => presentBadge(badge, open(req).container, values)
    }

    app.get(
      collection,
      {
        config: reads(subject('read_badge'), { anonymous: true }),
        schema: {
          summary: `List the badges of a ${kind}`,
          description:
            kind === 'project'
              ? 'Oldest first, with those of all groups above the project.'
              : 'Oldest first. Placeholders get the values of the oldest project in the group that you can see.',
          params: ById,
          querystring: BadgeFilter,
          response: { 200: Type.Array(Badge) },
        },
      },
      async (req, reply) => {
        const badges = filterBadges(badgesOf(db, open(req).container), req.query)
        const rows = await paginate(req, reply, badges, badgeOrder)
        return rows.map(await presenter(req))
      },
    )

    app.get(
      `${collection}/render`,
      {
        config: reads(subject('preview_badge')),
        schema: {
          summary: `Preview a badge of a ${kind}`,
          description: 'Shows the URLs with values instead of placeholders, and creates nothing.',
          params: ById,
          querystring: BadgeUrls,
          response: { 200: BadgePreview },
        },
      },
      async (req) => {
        checkUrls(req.query)
        const urls = presentUrls(req.query, await valuesFor(req))
        return kind === 'group' ? { name: null, ...urls } : urls
      },
    )

    app.get(
      `${collection}/:badge_id`,
      {
        config: reads(subject('read_badge'), { anonymous: true }),
        schema: {
          summary: `Get a badge of a ${kind}`,
          params: ByBadge,
          response: { 200: Badge },
        },
      },
      async (req) => {
        const badge = await findBadge(badgesOf(db, open(req).container), req.params.badge_id)
        return (await presenter(req))(badge)
      },
    )

    app.post(
      collection,
      {
        config: writes(subject('admin_badge')),
        schema: {
          summary: `Create a badge of a ${kind}`,
          params: ById,
          body: NewBadge,
          response: { 201: Badge },
        },
      },
      async (req) => {
        const badge = await req.write((tx) => createBadge(tx, open(req).container, req.body))
        return (await presenter(req))(badge)
      },
    )

    app.put(
      `${collection}/:badge_id`,
      {
        config: writes(subject('admin_badge')),
        schema: {
          summary: `Change a badge of a ${kind}`,
          ...(kind === 'project' && { description: 'Refuses the badges of groups above the project.' }),
          params: ByBadge,
          body: BadgeChanges,
          refuses: [412],
          response: { 200: Badge },
        },
      },
      async (req) => {
        const badge = await req.write(async (tx) => {
          const locked = await lockBadge(tx, open(req).container, req.params.badge_id, false)
          assertUnmodified(req, locked.updated_at)
          return updateBadge(tx, locked, req.body)
        })
        return (await presenter(req))(badge)
      },
    )

    app.delete(
      `${collection}/:badge_id`,
      {
        config: writes(subject('admin_badge')),
        schema: {
          summary: `Delete a badge of a ${kind}`,
          ...(kind === 'project' && { description: 'Refuses the badges of groups above the project.' }),
          params: ByBadge,
          refuses: [412],
          response: { 204: NoContent },
        },
      },
      async (req) => {
        await req.write(async (tx) => {
          const badge = await lockBadge(tx, open(req).container, req.params.badge_id, true)
          assertUnmodified(req, badge.updated_at)
          await deleteBadge(tx, badge)
        })
      },
    )
  }
}
