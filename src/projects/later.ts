import type { Later } from '#http/later.ts'
import { flag, integer, text } from '#http/schema.ts'

const isTrue = (value: unknown) => value === true
const isFilled = (value: unknown) => value !== ''
const always = () => true

const noTemplates = 'there are no project templates yet'

/** Parameters of subsystems that do not exist yet. */
export const later = {
  import_url: { schema: text({ max: 2_048 }), asksFor: isFilled, because: 'projects cannot be imported yet' },
  initialize_with_readme: { schema: flag(), asksFor: isTrue, because: 'projects have no repository yet' },
  mirror: { schema: flag(), asksFor: isTrue, because: 'there are no mirrors yet' },
  template_name: { schema: text(), asksFor: isFilled, because: noTemplates },
  template_project_id: { schema: integer(), asksFor: always, because: noTemplates },
  group_with_project_templates_id: { schema: integer(), asksFor: always, because: noTemplates },
  use_custom_template: { schema: flag(), asksFor: isTrue, because: noTemplates },
  repository_storage: {
    schema: text(),
    asksFor: (value: unknown) => value !== '' && value !== 'default',
    because: 'the only repository storage is default',
  },
} satisfies Readonly<Record<string, Later>>
