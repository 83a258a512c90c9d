import { LEARNERS } from '../../src/learners/registry.ts'
import { apiCourse, shopCourse } from './courses.ts'
import { type Choice, type Trial, Trials } from './trial.ts'

/** One row of the tables of results. */
export interface Outcome {
  readonly name: string
  readonly shop: Trial
  /** Absent: the row is about sessions only. */
  readonly api?: Trial
}

/** For `fixed`: a little below the capacity of all servers. */
const BY_HAND = { shop: { limit: 2 }, api: { limit: 180 } }

/** The result of a load test of all servers at nine tenths of their capacity. */
const LOAD_TESTED = {
  shop: { rate: 1.85, responseMs: 1200, goodput: 18 },
  api: { rate: 180, responseMs: 55, goodput: 180 },
}

const HOUR_S = 3600

export class Results {
  readonly #seed: number
  readonly #shop: Trials
  readonly #api: Trials

  constructor(seed: number) {
    this.#seed = seed
    this.#shop = new Trials(shopCourse(), seed)
    this.#api = new Trials(apiCourse(), seed)
  }

  /** Every learner with its defaults, between no control and the clairvoyant policy. */
  ofLearners(): readonly Outcome[] {
    const [shop, api] = [this.#shop, this.#api]
    return [
      { name: 'nobody is refused', shop: shop.ofNobodyRefused(), api: api.ofNobodyRefused() },
      ...Object.keys(LEARNERS).map((name) =>
        name === 'fixed' ? this.#both(name, BY_HAND.shop, BY_HAND.api) : this.#both(name),
      ),
      { name: 'a clairvoyant', shop: shop.ofClairvoyant(), api: api.ofClairvoyant() },
    ]
  }

  /** The effect of a hint: an option, an announcement, or experience. */
  ofHints(): readonly Outcome[] {
    const announced = new Trials(shopCourse({ announced: true }), this.#seed)
    const experienced = new Trials(shopCourse({ overloadS: HOUR_S }), this.#seed)
    const of = (trials: Trials, name: string): Trial => trials.ofLearner(choiceOf(name))
    const eager = { fastBelow: -0.2 }
    return [
      { ...this.#both('aimd', eager, eager), name: '`aimd` with `fastBelow: -0.2`' },
      {
        ...this.#both('lqr', LOAD_TESTED.shop, LOAD_TESTED.api),
        name: '`lqr` with the operating point of a load test',
      },
      { name: '`soc`, the loss announced', shop: of(announced, 'soc') },
      { name: '`soc`, overloaded for an hour before the calm', shop: of(experienced, 'soc') },
      { name: '`soc-lqr`, the loss announced', shop: of(announced, 'soc-lqr') },
    ]
  }

  #both(name: string, shop: Choice['options'] = {}, api: Choice['options'] = {}): Outcome {
    return {
      name: `\`${name}\``,
      shop: this.#shop.ofLearner({ name, options: shop }),
      api: this.#api.ofLearner({ name, options: api }),
    }
  }
}

const choiceOf = (name: string): Choice => ({ name, options: {} })
