/** The same bytes, as far as there is room for them. @throws what `refusal` returns where they are more */
export async function* within(
  body: AsyncIterable<Uint8Array>,
  room: number,
  refusal: () => Error,
): AsyncGenerator<Uint8Array> {
  let left = room
  for await (const bytes of body) {
    left -= bytes.length
    if (left < 0) throw refusal()
    yield bytes
  }
}
