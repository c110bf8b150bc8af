import { UserListed } from '#identity/users/entity.ts'
import { invalid } from '#platform/refusals.ts'
import { groupDetailEntity } from '#tenancy/groups/entity.ts'
import { type Action, asks } from '../frame/action.ts'
import { type Api, path } from '../frame/api.ts'
import type { Actions } from '../frame/form-page.ts'

const lists = { deploy: 'deploy_access_levels', approve: 'approval_rules' } as const
type Purpose = keyof typeof lists

/** @param address of the project or group, in the API */
export function protectedEnvironmentActions(address: string): Actions {
  const all = `${address}/protected_environments`
  const one = (name: string) => `${all}/${encodeURIComponent(name)}`
  const adds =
    (purpose: Purpose) =>
    (name: string): Action =>
    async (api, parameters) =>
      asks({
        method: 'PUT',
        path: one(name),
        also: { [lists[purpose]]: [await granteeIn(api, parameters)] },
        says: `The protection of ${name} is changed.`,
      })(api, {})
  const removes = (purpose: Purpose) => (about: string) => {
    const at = about.indexOf('/')
    const name = about.slice(at + 1)
    return asks({
      method: 'PUT',
      path: one(name),
      also: { [lists[purpose]]: [{ id: about.slice(0, at), _destroy: true }] },
      says: `The protection of ${name} is changed.`,
    })
  }
  return {
    'protect-environment':
      () =>
      async (api, { name, required_approval_count, ...parameters }) =>
        asks({
          method: 'POST',
          path: all,
          also: { deploy_access_levels: [await granteeIn(api, parameters)] },
          says: 'The environment is protected.',
        })(api, { name, ...(required_approval_count !== '' && { required_approval_count }) }),
    'add-deploy': adds('deploy'),
    'add-approve': adds('approve'),
    'remove-deploy': removes('deploy'),
    'remove-approve': removes('approve'),
    'count-approvals': (name) =>
      asks({ method: 'PUT', path: one(name), says: `The protection of ${name} is changed.` }),
    'unprotect-environment': (name) =>
      asks({ method: 'DELETE', path: one(name), says: 'The environment is no longer protected.' }),
  }
}

/** Whom a form means: people name users and groups, the API numbers them. */
async function granteeIn(
  api: Api,
  { access_level, username, group, ...more }: Readonly<Record<string, unknown>>,
): Promise<object> {
  const name = textOf(username).replace(/^@/, '')
  const groupPath = textOf(group).replaceAll(/^\/|\/$/g, '')
  if (name !== '' && groupPath !== '') throw invalid({ group: ['cannot be named beside a user'] })
  if (name !== '') {
    const { items } = await api.list(UserListed, '/users', { username: name })
    const [found] = items
    if (found === undefined) throw invalid({ username: ['belongs to nobody here'] })
    return { ...more, user_id: found.id }
  }
  if (groupPath === '') return { ...more, access_level }
  const found = await api.find(groupDetailEntity(), path`/groups/${groupPath}`, { with_projects: false })
  if (found === undefined) throw invalid({ group: ['is not the path of a group here'] })
  return { ...more, group_id: found.id }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
