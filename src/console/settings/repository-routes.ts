import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ProtectedBranch } from '#code/protected-branches/entity.ts'
import { ProtectedTag } from '#code/protected-tags/entity.ts'
import { html } from '#platform/http/html.ts'
import { ProjectDeployKey } from '#tenancy/deploy-keys/entity.ts'
import { DeployToken } from '#tenancy/deploy-tokens/entity.ts'
import { OfContainer, projectsAndGroups } from '../frame/container.ts'
import { formPage } from '../frame/form-page.ts'
import { ListParts } from '../frame/list-parts.ts'
import { pageNumber } from '../frame/lists.ts'
import { rightsIn } from '../frame/rights.ts'
import { deployKeyActions, deployKeys } from './deploy-keys.ts'
import { deployTokenActions, deployTokens } from './deploy-tokens.ts'
import { protectedBranches, protectedTags, protectionActions } from './protection.ts'

const HERE = 'settings/repository'

/** How much of each list is shown at once. */
const MOST = { per_page: 50 }

/** Who may change what of the code, and programs that read it. */
export const repositorySettingsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const { at, open } of projectsAndGroups)
    formPage(app, `${at}/${HERE}`, {
      who: 'signed in',
      params: Type.Object(OfContainer),
      querystring: Type.Object({
        protected_branches: pageNumber,
        protected_tags: pageNumber,
        deploy_keys: pageNumber,
        deploy_tokens: pageNumber,
      }),
      async show({ request, api, params, query, forms }) {
        const container = await open(api, request, params.container)
        const { api: address, kind } = container
        const isProject = kind === 'project'
        const lists = new ListParts(api, container.page(HERE), query)
        const [rights, branches, tags, keys, tokens] = await Promise.all([
          rightsIn(api, address),
          isProject
            ? lists.findList('protected_branches', ProtectedBranch, `${address}/protected_branches`, MOST)
            : undefined,
          isProject
            ? lists.findList('protected_tags', ProtectedTag, `${address}/protected_tags`, MOST)
            : undefined,
          isProject ? lists.list('deploy_keys', ProjectDeployKey, `${address}/deploy_keys`, MOST) : undefined,
          lists.list('deploy_tokens', DeployToken, `${address}/deploy_tokens`, MOST),
        ])
        return {
          title: `Repository · ${container.title}`,
          place: container.header('Repository'),
          body: html`<h1>Repository</h1>
            ${branches && protectedBranches(forms, branches, rights)}
            ${tags && protectedTags(forms, tags, rights)} ${keys && deployKeys(forms, keys, rights)}
            ${deployTokens(forms, tokens, rights)}`,
        }
      },
      async actions({ request, api, params }) {
        const { api: address, kind } = await open(api, request, params.container)
        return {
          ...(kind === 'project' && { ...protectionActions(address), ...deployKeyActions(address) }),
          ...deployTokenActions(address),
        }
      },
    })
}
