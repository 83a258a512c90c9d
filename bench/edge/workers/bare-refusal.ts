/** What refusing costs at the least: the same answer, for no reason at all. */
export default {
  fetch(): Response {
    return new Response(REFUSAL.body, { status: REFUSAL.status, headers: REFUSAL.headers })
  },
}
