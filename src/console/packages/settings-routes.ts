import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { RepositoryRule, TagRule } from '#registries/container-registry/rule-entity.ts'
import { PackageProtectionRule } from '#registries/packages/rule-entity.ts'
import { html } from '#platform/http/html.ts'
import { notFound } from '#platform/refusals.ts'
import { PROJECT } from '../frame/addresses.ts'
import { path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import { ListParts } from '../frame/list-parts.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import { cleanupPolicy, savesCleanup } from './cleanup-policy.ts'
import { protectionRuleActions, protectionRules } from './protection-rules.ts'

const HERE = 'settings/packages_and_registries'

/** Rules of each kind that the page shows at once. */
const MOST = { per_page: 50 }

/** What is kept of images, and who may push and delete images and packages. */
export const registrySettingsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${PROJECT}/${HERE}`, {
    who: 'signed in',
    params: Type.Object(OfProject),
    querystring: Type.Object({ repositories: pageNumber, tags: pageNumber, packages: pageNumber }),
    async show({ request, api, params, query, forms }) {
      const project = await projectOf(api, request, params.project)
      const address = path`/projects/${project.id}`
      const lists = new ListParts(api, pageOf(project, HERE), query)
      const rules = `${address}/registry/protection`
      const [rights, repositories, tags, packages] = await Promise.all([
        rightsIn(api, address),
        lists.findList('repositories', RepositoryRule, `${rules}/repository/rules`, MOST),
        lists.findList('tags', TagRule, `${rules}/tag/rules`, MOST),
        lists.findList('packages', PackageProtectionRule, `${address}/packages/protection/rules`, MOST),
      ])
      if (!rights.may('update_project')) throw notFound()
      return {
        title: `Packages and images · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Packages and images'),
        body: html`<h1>Packages and images</h1>
          ${repositories !== undefined && cleanupPolicy(forms, project)}
          ${protectionRules(forms, { repositories, tags, packages }, project.path_with_namespace)}`,
      }
    },
    async actions({ request, api, params }) {
      const { id } = await projectOf(api, request, params.project)
      const address = path`/projects/${id}`
      return { ...protectionRuleActions(address), 'save-cleanup': () => savesCleanup(address) }
    },
  })
}
