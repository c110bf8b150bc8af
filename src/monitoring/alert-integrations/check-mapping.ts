import { mappedFields } from '#monitoring/alert-receiver/payload/fields.ts'
import type { Mapping } from '#monitoring/alert-receiver/payload/mapping.ts'
import { readPath, valueAt } from '#monitoring/alert-receiver/payload/paths.ts'
import { readObject } from '#monitoring/alert-receiver/payload/read-payload.ts'
import type { Json } from '#monitoring/alert-receiver/payload/report.ts'
import { Invalid, invalid } from '#platform/refusals.ts'

/** Reads a sample payload. @throws 400 for what is no JSON object */
export function readSample(text: string): Json {
  try {
    return readObject(text)
  } catch (error) {
    if (error instanceof Invalid) throw invalid({ sample_payload: ['is not a JSON object'] })
    throw error
  }
}

/**
 * Checks that all paths are readable, and that of each field one leads to something in the sample.
 * @throws 400
 */
export function checkMapping(mapping: Mapping, sample: unknown): void {
  const problems: Record<string, string[]> = {}
  for (const field of mappedFields) {
    const texts = mapping[field] ?? []
    const paths = texts.map(readPath)
    const wrong = texts.filter((_, index) => paths[index] === undefined)
    if (wrong.length > 0) problems[`mapping[${field}]`] = wrong.map((text) => `has no path in “${text}”`)
    else if (sample !== null && texts.length > 0) {
      const leads = paths.some((path) => path !== undefined && valueAt(sample, path) !== undefined)
      if (!leads) problems[`mapping[${field}]`] = ['leads to nothing in the sample payload']
    }
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}
