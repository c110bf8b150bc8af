import { type EitherProject, eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { levels } from '#platform/access/roles.ts'
import type { Html } from '#platform/http/html.ts'
import type { Api } from '../frame/api.ts'
import type { Option } from '../frame/fields.ts'
import type { Forms } from '../frame/forms.ts'

/** Projects that are offered: those where something happened last. */
const MOST = 100

/** The projects into which the visitor may move issues of another one. */
export async function targetsOf(api: Api, { id }: EitherProject): Promise<readonly Option[]> {
  const { items } = await api.list(eitherProjectEntity(), '/projects', {
    min_access_level: levels.planner,
    order_by: 'last_activity_at',
    per_page: MOST,
    simple: true,
  })
  return items
    .filter((one) => one.id !== id)
    .map((one) => ({ value: String(one.id), label: one.name_with_namespace }))
}

/** The form that moves an issue; undefined where there is no other project. */
export const moveForm = (forms: Forms, targets: readonly Option[]): Html | undefined =>
  targets.length === 0
    ? undefined
    : forms.write({
        does: 'move',
        submit: 'Move',
        about: 'the issue',
        asks: 'What was said of it moves with it. It keeps the labels and the milestone that the other project has, too. Here, a closed issue stays that leads there.',
        fields: [
          {
            name: 'to_project_id',
            label: 'To the project',
            is: 'choice',
            options: targets,
          },
        ],
      })
