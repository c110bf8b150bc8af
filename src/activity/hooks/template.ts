import { unprocessable } from '#platform/refusals.ts'

const FIELD = /\{\{\s*([\w.]+)\s*\}\}/g

/** @throws 422 for a template that is no JSON, whatever the fields hold */
export function checkTemplate(template: string | null): void {
  if (template === null || template === '') return
  if (
    parsed(template.replace(FIELD, '0')) === undefined &&
    parsed(template.replace(FIELD, '')) === undefined
  ) {
    throw unprocessable('Invalid custom webhook template given')
  }
}

/**
 * The body that a template makes of a payload: `{{object_attributes.title}}` stands for the field. A value within
 * quotes is escaped as JSON escapes it. Undefined when no JSON comes of it.
 */
export function fillTemplate(template: string, payload: unknown): string | undefined {
  const body = template.replace(FIELD, (_, path: string) => {
    const value = path.split('.').reduce<unknown>(fieldOf, payload)
    if (typeof value === 'string') return JSON.stringify(value).slice(1, -1)
    return value === undefined ? '' : JSON.stringify(value)
  })
  return parsed(body) === undefined ? undefined : body
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
