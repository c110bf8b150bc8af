/** What domain events say of a runner. @param namespace null for the instance */
export const aboutRunner = (
  { id, description }: { readonly id: number; readonly description: string | null },
  namespace: number | null,
) => ({
  namespace,
  target: { type: 'Ci::Runner', id },
  details: { description: description ?? '' },
})
