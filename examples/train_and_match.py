"""Train a draughts net by TD self-play; then match it with the untrained net and with a player that counts pieces.

python train_and_match.py --sessions 10 --games 200 --out runs/example
"""

import argparse

import gameforge as gf


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a draughts net, then match it.")
    parser.add_argument("--sessions", type=int, default=4)
    parser.add_argument("--games", type=int, default=100, help="of each session")
    parser.add_argument("--depth", type=int, default=3, help="plies of every search")
    parser.add_argument("--match-games", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", default="runs/train_and_match", help="new folder for the run")
    options = parser.parse_args()

    searcher = f"minimax:depth={options.depth}"
    pipeline = gf.Pipeline(
        game="draughts",
        searcher=searcher,
        evaluator="mlp:hidden=20",
        features="netfeaturemap",
        learner=f"td:sessions={options.sessions},games={options.games}",
        oracle="none",
    )
    run = pipeline.run(options.out, seed=options.seed)
    assert run.trained is not None
    print(dict(run.trained.summary))

    counting = gf.player("draughts", searcher=searcher, evaluator="material", name="material")
    for opponent in (run.untrained, counting):
        print(gf.match(run.player, opponent, games=options.match_games, workers=2))


if __name__ == "__main__":
    main()
