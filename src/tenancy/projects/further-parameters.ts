import type { FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { type Later, refusedParameter, refuseLater } from '#platform/http/later.ts'
import { flag, integer, text } from '#platform/http/schema.ts'
import { type ExtensionParameters, onlyOnce, projectExtensions, type Schemas } from './extension-points.ts'

const inTheUrl = 'send it in `import_url`'
const noTemplates = 'there are no project templates yet'

/** Parameters of features that do not exist yet. A feature that brings one names it in its project extension. */
const later = {
  import_url: 'only a new project is imported',
  mirror: 'there are no mirrors yet',
  template_name: noTemplates,
  template_project_id: noTemplates,
  group_with_project_templates_id: noTemplates,
  use_custom_template: noTemplates,
  import_url_username: inTheUrl,
  import_url_password: inTheUrl,
  pre_receive_secret_detection_enabled: 'pushes are not searched for secrets yet',
} as const

const refusedParameters: Readonly<Record<keyof typeof later, TSchema>> = {
  import_url: text({ max: 2_048, ...refusedParameter(later.import_url) }),
  mirror: flag(refusedParameter(later.mirror)),
  template_name: text(refusedParameter(later.template_name)),
  template_project_id: integer(refusedParameter(later.template_project_id)),
  group_with_project_templates_id: integer(refusedParameter(later.group_with_project_templates_id)),
  use_custom_template: flag(refusedParameter(later.use_custom_template)),
  import_url_username: text(refusedParameter(later.import_url_username)),
  import_url_password: text(refusedParameter(later.import_url_password)),
  pre_receive_secret_detection_enabled: flag(refusedParameter(later.pre_receive_secret_detection_enabled)),
}

type Use = 'creation' | 'changes'

/** The parameters of features, and those that no feature has brought yet. */
function parametersFor(use: Use) {
  return projectExtensions.derive((extensions) => {
    const added = extensions.map(({ parameters }) => parameters?.[use] ?? {})
    const brought = new Set(added.flatMap((schemas) => Object.keys(schemas)))
    const without = <Value>(all: Readonly<Record<string, Value>>) =>
      Object.fromEntries(Object.entries(all).filter(([name]) => !brought.has(name)))
    const missing: Later = without(later)
    return { added, missing, refused: without(refusedParameters) }
  })
}

const uses = { creation: parametersFor('creation'), changes: parametersFor('changes') }

/**
 * The parameters of a project that are not its own: those of features, and those that are refused.
 * @param own the names of its own
 */
export function furtherParameters(use: Use, own: readonly string[]): Schemas {
  const { added, refused } = uses[use]()
  const all = { ...onlyOnce(added, own), ...refused }
  return Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, Type.Optional(schema)]))
}

/**
 * Checks the further parameters of a request, before its transaction.
 * @throws 400 for what no feature brings yet, and what the features throw
 */
export async function checkFurther(use: Use, req: FastifyRequest, asked: ExtensionParameters): Promise<void> {
  refuseLater(asked, uses[use]().missing)
  for (const extension of projectExtensions.entries) await extension.check?.(asked, req)
}
