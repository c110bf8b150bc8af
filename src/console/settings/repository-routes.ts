import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ProtectedBranch } from '#code/protected-branches/entity.ts'
import { ProtectedTag } from '#code/protected-tags/entity.ts'
import { html } from '#platform/http/html.ts'
import { ProjectDeployKey } from '#tenancy/deploy-keys/entity.ts'
import { DeployToken } from '#tenancy/deploy-tokens/entity.ts'
import { OfContainer, projectsAndGroups } from '../frame/container.ts'
import { formPage } from '../frame/form-page.ts'
import { rightsIn } from '../frame/rights.ts'
import { deployKeyActions, deployKeys } from './deploy-keys.ts'
import { deployTokenActions, deployTokens } from './deploy-tokens.ts'
import { protectedBranches, protectedTags, protectionActions } from './protection.ts'

/** How much of each list is shown. */
const MOST = { per_page: 100 }

/** Who may change what of the code, and programs that read it. */
export const repositorySettingsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const { at, open } of projectsAndGroups)
    formPage(app, `${at}/settings/repository`, {
      who: 'signed in',
      params: Type.Object(OfContainer),
      querystring: Type.Object({}),
      async show({ request, api, params, forms }) {
        const container = await open(api, request, params.container)
        const { api: address, kind } = container
        const isProject = kind === 'project'
        const [rights, branches, tags, keys, tokens] = await Promise.all([
          rightsIn(api, address),
          isProject ? api.findList(ProtectedBranch, `${address}/protected_branches`, MOST) : undefined,
          isProject ? api.findList(ProtectedTag, `${address}/protected_tags`, MOST) : undefined,
          isProject ? api.list(ProjectDeployKey, `${address}/deploy_keys`, MOST) : undefined,
          api.list(DeployToken, `${address}/deploy_tokens`, MOST),
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
