import type { FastifyRequest } from 'fastify'
import { parameterIn } from '#platform/http/recognize.ts'

/** Looks something up by the number that the path has; nothing where it has none, before parameters are read. */
export async function numberIn<T>(
  request: FastifyRequest,
  find: (id: number) => Promise<T | undefined>,
): Promise<T | undefined> {
  return numberFrom(parameterIn(request, 'id'), find)
}

/** The same for a parameter of the body. */
export async function numberFrom<T>(
  value: unknown,
  find: (id: number) => Promise<T | undefined>,
): Promise<T | undefined> {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  return /^\d{1,15}$/.test(text) ? find(Number(text)) : undefined
}
