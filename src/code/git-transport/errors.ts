import type { HttpError } from '#platform/http/errors.ts'
import { reasonIn } from '#platform/known-texts.ts'

/** What a refusal says, without the status before it. */
export function sentenceOf({ body }: HttpError): string {
  if (typeof body === 'string') return body
  const { message, error_description: description, scope } = body
  if (description !== undefined)
    return scope === undefined ? description : `${description} It takes: ${scope}.`
  return typeof message === 'string' ? reasonIn(message) : JSON.stringify(message)
}
