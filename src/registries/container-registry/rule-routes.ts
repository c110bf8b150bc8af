import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { type ListOrder, pageParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, integer, NoContent, nullable, oneOf, text } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { minimumLevels } from '../protection/minimum-levels.ts'
import { RepositoryRule, TagRule } from './rule-entity.ts'
import { noLevels } from './protection.ts'
import {
  createRepositoryRule,
  deleteRepositoryRule,
  type RuleProject,
  repositoryRulesOf,
  updateRepositoryRule,
} from './repository-rules.ts'
import { createTagRule, deleteTagRule, tagRulesOf, updateTagRule } from './tag-rules.ts'

const level = (doing: string) =>
  Type.Optional(
    nullable(
      oneOf(['', ...minimumLevels], { description: `The role that it takes to ${doing}; blank for none.` }),
    ),
  )
const levels = {
  minimum_access_level_for_push: level('push'),
  minimum_access_level_for_delete: level('delete'),
}
const path = { max: 255, description: "A repository's name, in which `*` stands for anything." }
const expression = { max: 100, description: 'An expression of RE2 that finds tags.' }
const ByRule = Type.Object({ ...ById.properties, protection_rule_id: integer() })

/** As they were made. */
const order = (of: string): ListOrder => ({
  of,
  id: 'id',
  columns: { id: { column: 'id' } },
  by: 'id',
  sort: 'asc',
})

type Sent = Parameters<typeof updateTagRule>[3]
type SentLevel = Sent['minimum_access_level_for_push'] | ''

interface RepositoryRuleRow {
  readonly id: number
  readonly project_id: number
  readonly repository_path_pattern: string
  readonly minimum_access_level_for_push: string | null
  readonly minimum_access_level_for_delete: string | null
}

/** The levels that a client has sent; a blank one takes the level away. */
const sentLevels = (body: {
  readonly minimum_access_level_for_push?: SentLevel
  readonly minimum_access_level_for_delete?: SentLevel
}) => {
  const { minimum_access_level_for_push: push, minimum_access_level_for_delete: del } = body
  return {
    ...(push !== undefined && { minimum_access_level_for_push: push === '' ? null : push }),
    ...(del !== undefined && { minimum_access_level_for_delete: del === '' ? null : del }),
  }
}

/** Rules that say who may push to repositories and tags of images, and delete them. */
export const ruleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const ofRepositories = '/projects/:id/registry/protection/repository/rules'
  const ofTags = '/projects/:id/registry/protection/tag/rules'
  const readable = reads(project('admin_container_image'))
  const changeable = writes(project('admin_container_image'))

  const present = ({ full_path }: RuleProject, row: RepositoryRuleRow) => ({
    id: row.id,
    project_id: row.project_id,
    repository_path_pattern: full_path.toLowerCase() + row.repository_path_pattern,
    minimum_access_level_for_push: row.minimum_access_level_for_push,
    minimum_access_level_for_delete: row.minimum_access_level_for_delete,
  })

  const oneRepositoryRule = async (of: RuleProject, id: number) =>
    present(
      of,
      await repositoryRulesOf(db, of.id)
        .where('id', '=', id)
        .executeTakeFirstOrThrow(() => notFound('Protection Rule')),
    )
  const oneTagRule = (of: RuleProject, id: number) =>
    tagRulesOf(db, of.id)
      .where('id', '=', id)
      .executeTakeFirstOrThrow(() => notFound('Protection Rule'))

  app.get(
    ofRepositories,
    {
      config: readable,
      schema: {
        summary: 'List the rules that protect repositories of images',
        params: ById,
        querystring: Type.Object(pageParameters),
        response: { 200: Type.Array(RepositoryRule) },
      },
    },
    async (req, reply) => {
      const { container } = req.project()
      const rows = await paginate(req, reply, repositoryRulesOf(db, container.id), order('RepositoryRule'))
      return rows.map((row) => present(container, row))
    },
  )

  app.post(
    ofRepositories,
    {
      config: changeable,
      schema: {
        summary: 'Protect repositories of images',
        params: ById,
        body: Type.Object({ repository_path_pattern: text({ ...path, filled: true }), ...levels }),
        response: { 201: RepositoryRule },
      },
    },
    async (req) => {
      const { container } = req.project()
      const { repository_path_pattern: pattern, ...sent } = req.body
      const id = await req.write((tx) =>
        createRepositoryRule(tx, container, pattern, { ...noLevels, ...sentLevels(sent) }),
      )
      return oneRepositoryRule(container, id)
    },
  )

  app.patch(
    `${ofRepositories}/:protection_rule_id`,
    {
      config: changeable,
      schema: {
        summary: 'Change a rule that protects repositories of images',
        params: ByRule,
        body: Type.Object({
          repository_path_pattern: Type.Optional(text({ ...path, filled: true })),
          ...levels,
        }),
        response: { 200: RepositoryRule },
      },
    },
    async (req) => {
      const { container } = req.project()
      const { repository_path_pattern, ...sent } = req.body
      await req.write((tx) =>
        updateRepositoryRule(tx, container, req.params.protection_rule_id, {
          ...(repository_path_pattern !== undefined && { repository_path_pattern }),
          ...sentLevels(sent),
        }),
      )
      return oneRepositoryRule(container, req.params.protection_rule_id)
    },
  )

  app.delete(
    `${ofRepositories}/:protection_rule_id`,
    {
      config: changeable,
      schema: {
        summary: 'Delete a rule that protects repositories of images',
        params: ByRule,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { container } = req.project()
      await req.write((tx) => deleteRepositoryRule(tx, container, req.params.protection_rule_id))
    },
  )

  app.get(
    ofTags,
    {
      config: readable,
      schema: {
        summary: 'List the rules that protect tags of images',
        params: ById,
        querystring: Type.Object(pageParameters),
        response: { 200: Type.Array(TagRule) },
      },
    },
    async (req, reply) => {
      const rows = await paginate(req, reply, tagRulesOf(db, req.project().container.id), order('TagRule'))
      return rows.map(({ id, project_id, tag_name_pattern, ...row }) => ({
        id,
        project_id,
        tag_name_pattern,
        minimum_access_level_for_push: row.minimum_access_level_for_push,
        minimum_access_level_for_delete: row.minimum_access_level_for_delete,
      }))
    },
  )

  app.post(
    ofTags,
    {
      config: changeable,
      schema: {
        summary: 'Protect tags of images',
        description: 'Without roles, nobody can push a tag a second time, or delete it.',
        params: ById,
        body: Type.Object({ tag_name_pattern: text({ ...expression, filled: true }), ...levels }),
        response: { 201: TagRule },
      },
    },
    async (req) => {
      const { container } = req.project()
      const { tag_name_pattern: pattern, ...sent } = req.body
      const id = await req.write((tx) =>
        createTagRule(tx, container, pattern, { ...noLevels, ...sentLevels(sent) }),
      )
      return oneTagRule(container, id)
    },
  )

  app.patch(
    `${ofTags}/:protection_rule_id`,
    {
      config: changeable,
      schema: {
        summary: 'Change a rule that protects tags of images',
        params: ByRule,
        body: Type.Object({
          tag_name_pattern: Type.Optional(text({ ...expression, filled: true })),
          ...levels,
        }),
        response: { 200: TagRule },
      },
    },
    async (req) => {
      const { container } = req.project()
      const { tag_name_pattern, ...sent } = req.body
      await req.write((tx) =>
        updateTagRule(tx, container, req.params.protection_rule_id, {
          ...(tag_name_pattern !== undefined && { tag_name_pattern }),
          ...sentLevels(sent),
        }),
      )
      return oneTagRule(container, req.params.protection_rule_id)
    },
  )

  app.delete(
    `${ofTags}/:protection_rule_id`,
    {
      config: changeable,
      schema: {
        summary: 'Delete a rule that protects tags of images',
        params: ByRule,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { container } = req.project()
      await req.write((tx) => deleteTagRule(tx, container, req.params.protection_rule_id))
    },
  )
}
