import { type Static, type TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import type { FastifyRequest } from 'fastify'
import { badRequest, unprocessable } from '#platform/refusals.ts'

/** The JSON of a body, whatever content type it says. @throws 400 for what is no JSON, 422 for other values */
export async function bodyAs<Schema extends TSchema>(
  request: FastifyRequest,
  schema: Schema,
): Promise<Static<Schema>> {
  const bytes = await request.bodyBytes().all()
  let value: unknown
  try {
    value = bytes.length === 0 ? {} : JSON.parse(bytes.toString('utf8'))
  } catch {
    throw badRequest('The body is not JSON')
  }
  if (!Check(schema, value)) throw unprocessable('The body is not what this request takes')
  return value
}
