import { Namespace } from '#identity/namespaces/entity.ts'
import { Group } from '#tenancy/groups/entity.ts'
import { type Api, path } from '../frame/api.ts'
import type { Field, Option } from '../frame/fields.ts'

/** Groups that are offered. */
const MOST_GROUPS = 100

/** Where somebody may make a project. @param wanted the namespace that is chosen already */
export async function namespaceField(api: Api, username: string, wanted?: number): Promise<Field> {
  const [groups, namespace] = await Promise.all([
    api.list(Group, '/groups', { min_access_level: 30, per_page: MOST_GROUPS, order_by: 'path' }),
    wanted === undefined ? undefined : api.find(Namespace, path`/namespaces/${wanted}`),
  ])
  const all = [
    { value: '', label: `You (${username})` },
    ...groups.items.map((group) => option(group.id, group.full_path)),
    ...(namespace?.kind === 'group' ? [option(namespace.id, namespace.full_path)] : []),
  ]
  return {
    name: 'namespace_id',
    label: 'In',
    is: 'choice',
    hint: groups.next === undefined ? undefined : `Your first ${MOST_GROUPS} groups.`,
    options: [...new Map(all.map((one) => [one.value, one])).values()],
    value: namespace?.kind === 'group' ? namespace.id : '',
  }
}

const option = (value: number, label: string): Option => ({ value: String(value), label })
