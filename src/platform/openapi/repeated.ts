import { type Answer, isAnswer, type Reference, sharedAnswers } from './answers.ts'
import { answerNames, bodyNames, parameterNames, type Place } from './component-names.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Operation, SharingOperation } from './operation.ts'
import type { Media, Parameter, RequestBody } from './parameters.ts'

/*
 * What repeats in the operations of the document becomes a component. The names are those of the parameters, bodies and
 * answers themselves, so a name stays when routes are added: the first declared takes the shortest.
 */

type Paths<O> = Readonly<Record<string, Readonly<Record<string, O>>>>

export interface Repeated {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly parameters: Readonly<Record<string, Parameter>>
  readonly requestBodies: Readonly<Record<string, RequestBody>>
  readonly responses: Readonly<Record<string, Answer>>
}

/** Whether a schema of the document is the body of requests. */
export const isBody = (name: string): boolean => name.endsWith('Body')

/** @returns the operations with references to the components that they share, and these components. */
export function shareRepeated(paths: Paths<Operation>): { paths: Paths<SharingOperation> } & Repeated {
  const parameters = new Shared<Parameter>('parameters')
  const schemas = new Shared<JsonSchema>('schemas')
  const requestBodies = new Shared<RequestBody>('requestBodies')
  const responses = new Shared<Answer>('responses')
  const bodyOf = (where: Place, body: RequestBody): RequestBody => ({
    ...body,
    content: mapValues(body.content, (media) => ({
      ...media,
      schema: schemas.use(bodyNames(where), media.schema),
    })),
  })
  each(paths, (where, { parameters: own = [], requestBody: body, responses: answers }) => {
    for (const one of own) parameters.count(one)
    for (const { schema } of Object.values(body?.content ?? {})) schemas.count(schema)
    for (const one of Object.values(answers)) if (isAnswer(one)) responses.count(one)
  })
  each(paths, (where, { requestBody: body }) => {
    if (body !== undefined) requestBodies.count(bodyOf(where, body))
  })
  const sharing = each(paths, (where, operation): SharingOperation => {
    const { parameters: own, requestBody: body, responses: answers } = operation
    return {
      ...operation,
      ...(own && { parameters: own.map((one) => parameters.use(parameterNames(where, one), one)) }),
      ...(body && { requestBody: requestBodies.use(bodyNames(where), bodyOf(where, body)) }),
      responses: Object.fromEntries(
        Object.entries(answers).map(([status, one]) => [
          status,
          isAnswer(one) ? responses.use(answerNames(status, one), one) : one,
        ]),
      ),
    }
  })
  return {
    paths: sharing,
    schemas: schemas.components,
    parameters: parameters.components,
    requestBodies: requestBodies.components,
    responses: responses.components,
  }
}

/** The operation with its parameters, its body and its successes in it. Refusals stay references. */
export function withoutReferences(operation: SharingOperation, components: Repeated): Operation {
  const { parameters, requestBody, responses } = operation
  const body = requestBody && follow(requestBody, components.requestBodies)
  return {
    ...operation,
    parameters: parameters?.map((one) => follow(one, components.parameters)),
    requestBody: body && {
      ...body,
      content: mapValues(body.content, (media: Media) => ({
        ...media,
        schema: follow(media.schema, components.schemas),
      })),
    },
    responses: mapValues<Answer | Reference, Answer | Reference>(responses, (one) =>
      isAnswer(one) || nameIn(one) in sharedAnswers ? one : follow(one, components.responses),
    ),
  }
}

/** Calls a function for each operation, and keeps what it returns in the place of it. */
function each<O>(paths: Paths<Operation>, of: (where: Place, operation: Operation) => O): Paths<O> {
  return mapValues(paths, (item, path) =>
    mapValues(item, (operation) =>
      of({ path, operationId: operation.operationId, tags: operation.tags }, operation),
    ),
  )
}

const mapValues = <T, O>(record: Readonly<Record<string, T>>, of: (value: T, key: string) => O) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, of(value, key)]))

const nameIn = ({ $ref }: Reference): string => $ref.slice($ref.lastIndexOf('/') + 1)

/** @throws for a reference to nothing */
function follow<T extends object>(one: T | Reference, components: Readonly<Record<string, T>>): T {
  if (!isReference(one)) return one
  const found = components[nameIn(one)]
  if (found === undefined) throw new Error(`The document refers to ${one.$ref}, which it lacks`)
  return found
}

const isReference = (one: object): one is Reference => '$ref' in one && typeof one.$ref === 'string'

/** The components of one kind: what is counted twice, and each under a name of its own. */
class Shared<T extends object> {
  readonly #kind: string
  readonly #counts = new Map<string, number>()
  readonly #byName: Record<string, T> = {}

  constructor(kind: string) {
    this.#kind = kind
  }

  count(one: T): void {
    const key = JSON.stringify(one)
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /**
   * @param names of the component, the best one first
   * @returns a reference to the component, or the same where it does not repeat or all of its names are taken.
   */
  use(names: readonly string[], one: T): T | Reference {
    const text = JSON.stringify(one)
    if (isReference(one) || (this.#counts.get(text) ?? 0) < 2) return one
    const name = names.find((free) => JSON.stringify(this.#byName[free] ?? one) === text)
    if (name === undefined) return one
    this.#byName[name] = one
    return { $ref: `#/components/${this.#kind}/${name}` }
  }

  get components(): Readonly<Record<string, T>> {
    return Object.fromEntries(Object.entries(this.#byName).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }
}
