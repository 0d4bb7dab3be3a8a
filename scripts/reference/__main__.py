"""Write the pages that are made from the code: `make reference`."""

from scripts.reference.pages import PAGES, ROOT


def main() -> None:
    for path, make in PAGES.items():
        text = make()
        file = ROOT / path
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
            print(f"{path} is written.")


if __name__ == "__main__":
    main()
