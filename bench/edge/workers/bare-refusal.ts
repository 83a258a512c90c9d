/** The least that refusing can cost: the same response without a decision. */
export default {
  fetch(): Response {
    return new Response(REFUSAL.body, { status: REFUSAL.status, headers: REFUSAL.headers })
  },
}
